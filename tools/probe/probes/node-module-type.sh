# A package of type commonjs whose scripts import.
# params: Required
[ "$(json_key package.json type)" = commonjs ] || exit 0
for f in *.js; do
  grep -q '^import .* from ["'\'']' "$f" && ! grep -q 'require(' "$f" && { found "$f imports, and the package is of type commonjs" Required=module; exit 0; }
done
