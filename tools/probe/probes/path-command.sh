# Tools that .tool-versions pins and PATH lacks.
# params: Command, Required
[ -f .tool-versions ] || exit 0
while read -r name v _; do
  [[ $name =~ ^[A-Za-z0-9._+-]+$ && -n $v ]] || continue
  case $name in golang) name=go ;; nodejs) name=node ;; python) name=python3 ;; esac
  has "$name" || found ".tool-versions asks for $name, which is not on PATH" Command="$name" Required="$v"
done < .tool-versions
