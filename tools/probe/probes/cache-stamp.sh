# A .cache that git has no part of, with a file older than the one in the project that has its name.
# params: Path
in_git && [ -n "$(git ls-files -- .cache | head -n 1)" ] && exit 0
for f in .cache/*; do
  name=${f##*/}
  for src in "$name" "${name%.*}".*; do
    if [ -f "$f" ] && [ -f "$src" ] && [ "$src" -nt "$f" ]; then
      found "$f is older than $src" Path=.cache
      exit 0
    fi
  done
done
