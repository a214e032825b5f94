# Pid files of processes that are gone or are another program.
# params: Path, Name
while IFS= read -r -d '' f; do
  pid=$(head -c 20 -- "$f"); name=$(basename "$f" .pid)
  [[ $pid =~ ^[1-9][0-9]*$ ]] || continue
  tr '\0' ' ' 2> /dev/null < "/proc/$pid/cmdline" | grep -qF -e "$name" && continue
  case $(readlink "/proc/$pid/cwd" 2> /dev/null)/ in "$PWD"/*) continue ;; esac # the project's own, by another name
  [ -d /proc/self ] || { running "$pid" && continue; }
  found "$f names process $pid, which is not $name" Path="$f" Name="$name"
done < <(files -name '*.pid')
