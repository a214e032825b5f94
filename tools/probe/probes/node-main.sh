# A package.json whose main is gone, while one file has its name.
# params: Path
m=$(json_key package.json main)
[ -n "$m" ] && [ ! -e "$m" ] && [ ! -e "$m.js" ] || exit 0
mapfile -d '' -t all < <(files -name "${m##*/}")
((${#all[@]} == 1)) && found "the main of package.json is $m, which is gone" Path="${all[0]}"
