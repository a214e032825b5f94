# Scripts whose interpreter is gone.
# params: Path, Name
while IFS= read -r -d '' f; do
  first_line "$f"
  [[ $line =~ ^'#!'\ *(/[^[:space:]]+) ]] || continue
  i=${BASH_REMATCH[1]}
  [ -e "$i" ] || found "$f starts with $i, which is not there" Path="$f" Name="${i##*/}"
done < <(files -perm /111)
