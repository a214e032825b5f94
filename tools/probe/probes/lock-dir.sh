# Lock directories of processes that are gone.
# params: Path
while IFS= read -r -d '' d; do
  pid=$(cat "$d/pid" 2> /dev/null)
  [[ $pid =~ ^[1-9][0-9]*$ ]] && ! running "$pid" && found "$d is held by process $pid, which is gone" Path="${d#./}"
done < <(find . -xdev \( -name .git -o -name node_modules \) -prune -o -type d -name '*.lock' -print0)
