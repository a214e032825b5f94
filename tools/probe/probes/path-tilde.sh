# Settings that put a quoted ~ on PATH, which no shell expands.
# params: Path
while IFS= read -r -d '' f; do
  grep -q '^\(export \)\{0,1\}PATH="\([^"]*:\)\{0,1\}~/' -- "$f" && found "$f puts a quoted ~ on PATH" Path="$f"
done < <(files \( -name '*.env' -o -name .env -o -name .envrc -o -name '*.sh' \))
