# Files that are read line by line and whose last line has no end.
# params: Path
while IFS= read -r -d '' f; do
  [ -n "$(tail -c 1 -- "$f" | tr '\0' x)" ] && found "the last line of $f has no end" Path="$f"
done < <(files \( -name '*.list' -o -name '*.csv' -o -name '*.env' -o -name .env -o -name '*.conf' \) -size +0)
