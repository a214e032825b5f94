# A tool in ~/opt whose link leads to another release than .tool-versions pins, though that one is there.
# params: Name, Required
[ -f .tool-versions ] || exit 0
while read -r name v _; do
  [ -L ~/opt/"$name" ] && [ -d ~/opt/"$name-$v" ] && [ ! ~/opt/"$name" -ef ~/opt/"$name-$v" ] &&
    found "\$HOME/opt/$name leads to $(readlink ~/opt/"$name"), .tool-versions pins $v" Name="$name" Required="$v"
done < .tool-versions
