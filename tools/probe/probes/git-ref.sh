# Branches whose file is empty, while packed-refs knows them.
# params: Ref
d=$(git rev-parse --git-dir 2> /dev/null); d=${d:-.git}
[ -d "$d/refs/heads" ] || exit 0
while IFS= read -r -d '' f; do
  r=${f#"$d/"}
  grep -qsF " $r" "$d/packed-refs" && found "$r is an empty file" Ref="$r"
done < <(find "$d/refs/heads" -type f -empty -print0)
