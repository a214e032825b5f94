# Compressed files in a cache directory that do not decompress.
# params: Path
while IFS= read -r -d '' f; do
  timeout 10 gzip -t -- "$f" 2> /dev/null || found "$f is damaged" Path="${f#./}"
done < <(find . -xdev \( -name .git -o -name node_modules \) -prune -o -type f -path '*cache*/*' -name '*.gz' -size -65536k -print0 | head -z -n 200)
