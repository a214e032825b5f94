# A go.work that uses a module that is gone.
# params: Path
[ -f go.work ] || exit 0
while IFS= read -r d; do
  [ -e "$d/go.mod" ] || found "go.work uses $d, where there is no module" Path="$d"
done < <(awk '/^use \(/ { in_use = 1; next } in_use && /^\)/ { in_use = 0 } in_use { print $1 } /^use [^(]/ { print $2 }' go.work)
