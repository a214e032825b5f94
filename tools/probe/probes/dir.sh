# Directories that .env names (…_DIR=path) and that are not there.
# params: Path
[ -f .env ] || exit 0
while IFS= read -r d; do
  case $d in /* | *..* | '~'*) continue ;; esac
  [ -e "$d" ] || [ -L "$d" ] || found "$d is not there, and .env names it" Path="$d"
done < <(sed -nE 's/^(export )?[A-Za-z_][A-Za-z0-9_]*_DIR=["'\'']?([A-Za-z0-9._\/+-]+)["'\'']?$/\2/p' .env | sort -u)
