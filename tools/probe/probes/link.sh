# A dangling link beside whose target one file has nearly its name.
# params: Path, Required
while IFS= read -r -d '' f; do
  f=${f#./} t=$(readlink "$f") d=$(dirname "$f")
  case $t in /*) continue ;; esac
  base=${t##*/} ext=; case $base in *.*) ext=.${base##*.} base=${base%.*} ;; esac
  near=("$d/$(dirname "$t")/$base"*"$ext")
  ((${#near[@]} == 1)) && found "$f leads to $t, which is gone" Path="$f" Required="$(realpath -s --relative-to="$d" "${near[0]}")"
done < <(find . -xdev \( -name .git -o -name node_modules -o -name .venv \) -prune -o -xtype l -print0)
