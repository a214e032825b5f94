# Tools that .tool-versions pins and PATH lacks.
# params: Command, Required, AptPackage, BrewPackage
[ -f .tool-versions ] || exit 0
while read -r name v _; do
  [[ $name =~ ^[A-Za-z0-9._+-]+$ && -n $v ]] || continue
  case $name in golang) name=go ;; nodejs) name=node ;; python) name=python3 ;; esac
  has "$name" && continue
  apt=$name brew=$name
  case $name in
    go) apt=golang-go ;; node) apt=nodejs ;; python3) brew=python ;; java) apt=default-jdk brew=openjdk ;;
    rust) apt=rustc ;; kubectl) brew=kubernetes-cli ;; fd) apt=fd-find ;; rg) apt=ripgrep brew=ripgrep ;;
  esac
  found ".tool-versions asks for $name, which is not on PATH" Command="$name" Required="$v" AptPackage="$apt" BrewPackage="$brew"
done < .tool-versions
