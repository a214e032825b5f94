# Compiled modules that Python takes unchecked though their source has changed.
# params: Path
has python3 || exit 0
while IFS= read -r -d '' f; do
  [ "$(od -An -tu1 -j4 -N1 "$f" | tr -d ' ')" = 1 ] || continue
  d=${f%/__pycache__/*}; src=${f##*/}; src=$d/${src%%.*}.py
  [ -f "$src" ] && ! python3 -I -c 'import importlib.util, sys
sys.exit(importlib.util.source_hash(open(sys.argv[1], "rb").read()) != open(sys.argv[2], "rb").read(16)[8:])' "$src" "$f" 2> /dev/null &&
    found "$f is taken for $src, which has changed" Path="${d#./}"
done < <(find . -xdev -name .git -prune -o -path '*/__pycache__/*.pyc' -print0)
