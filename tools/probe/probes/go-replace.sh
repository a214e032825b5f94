# A replace directive to a directory that is gone, while the module lies elsewhere in the project.
# params: Name, Path
has go && [ -f go.mod ] || exit 0
while read -r name path; do
  [ -e "$path/go.mod" ] && continue
  while IFS= read -r -d '' f; do
    [ "$(awk '$1 == "module" { print $2; exit }' "$f")" = "$name" ] || continue
    found "$name is replaced by $path, which is gone" Name="$name" Path="./${f%/go.mod}"; break
  done < <(find . -name .git -prune -o -mindepth 2 -name go.mod -printf '%P\0')
done < <(sed -n 's/^\(replace\)\{0,1\}[[:space:]]*\([^[:space:]]*\) => \(\.[^[:space:]]*\)$/\2 \3/p' go.mod)
