# Files that hide a module of the standard library.
# params: Path
has python3 || exit 0
mapfile -t std < <(python3 -I -c 'import sys; print("\n".join(sys.stdlib_module_names))')
declare -A is; for m in "${std[@]}"; do is[$m]=1; done
while IFS= read -r -d '' f; do
  m=${f##*/}; m=${m%.py}; d=$(dirname "$f")
  [ -n "${is[$m]:-}" ] && [ ! -e "$d/__init__.py" ] && found "$f hides the module $m of the standard library" Path="$f"
done < <(files -name '*.py')
