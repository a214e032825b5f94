# Keys of .env.example that .env lacks.
# params: Key
[ -f .env ] && [ -f .env.example ] || exit 0
while IFS= read -r k; do
  grep -q "^\(export \)\{0,1\}$k=" .env || found ".env lacks $k, which .env.example has" Key="$k"
done < <(sed -n 's/^\(export \)\{0,1\}\([A-Za-z_][A-Za-z0-9_]*\)=.*/\2/p' .env.example)
