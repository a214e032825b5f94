# Lines of .env with blanks around the =, which a shell does not read.
# params: Key
[ -f .env ] || exit 0
while IFS= read -r k; do found "there are blanks around the = of $k in .env" Key="$k"; done < <(
  sed -nE 's/^([A-Za-z_][A-Za-z0-9_]*)( +=|= +[^ #]).*/\1/p' .env | sort -u)
