# Daemons with a pid file whose program was replaced since they were started.
# params: Name, Path
while IFS= read -r -d '' f; do
  pid=$(head -c 20 -- "$f"); name=$(basename "$f" .pid)
  [[ $pid =~ ^[1-9][0-9]*$ ]] && [ -d "/proc/$pid" ] || continue
  for held in "/proc/$pid/exe" /proc/"$pid"/fd/*; do
    [[ $(readlink "$held" 2> /dev/null) == */"$name (deleted)" ]] || continue
    found "$name (process $pid) runs a program that was replaced since" Name="$name" Path="$f"
    break
  done
done < <(files -name '*.pid')
