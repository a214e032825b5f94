# Scripts and configuration files that start with a byte order mark.
# params: Path
while IFS= read -r -d '' f; do
  first_line "$f"
  [[ $line == $'\xEF\xBB\xBF'* ]] || continue
  case $f$line in *.json$'\xEF'*|*.sh$'\xEF'*|*.y?ml$'\xEF'*|*.yaml$'\xEF'*|*.toml$'\xEF'*|*.env$'\xEF'*|*$'\xBF#!'*) found "$f starts with a byte order mark" Path="$f" ;; esac
done < <(files)
