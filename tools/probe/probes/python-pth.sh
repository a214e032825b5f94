# A .pth file that leads to a directory that is gone, while the project has src.
# params: Path, Required
[ -d src ] || exit 0
while IFS= read -r -d '' f; do
  first_line "$f"
  case $line in "$PWD"/*) [ -e "$line" ] || found "$f leads to $line, which is gone" Path="${f#./}" Required="$PWD/src" ;; esac
done < <(find . -xdev -name .git -prune -o -name '*.pth' -print0)
