# Links that lead to themselves, beside something that has a version for its name.
# params: Path, Required
while IFS= read -r -d '' f; do
  f=${f#./}
  [[ $(stat -L -- "$f" 2>&1) == *'Too many levels'* ]] || continue
  d=$(dirname -- "$f") newest=
  while IFS= read -r name; do newest=$name; done < <(for x in "$d"/*; do [ -L "$x" ] || printf '%s\n' "${x##*/}"; done | grep -E '^v?[0-9]+(\.[0-9]+)*$' | sort -V)
  [ -n "$newest" ] && found "$f leads to itself; the newest beside it is $newest" Path="$f" Required="$newest"
done < <(find . -xdev \( -name .git -o -name node_modules -o -name .venv \) -prune -o -type l -print0)
