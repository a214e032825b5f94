# A tool that PATH finds in another version than .tool-versions pins, with the pinned one behind it.
# params: Name, Required
[ -f .tool-versions ] || exit 0
while read -r name v _; do
  [[ $name =~ ^[A-Za-z0-9._+-]+$ && -n $v ]] || continue
  mapfile -t all < <(type -aP "$name")
  ((${#all[@]} > 1)) || continue
  [[ $(timeout 5 "${all[0]}" --version 2> /dev/null < /dev/null) == *"$v"* ]] && continue
  for other in "${all[@]:1}"; do
    [[ $(timeout 5 "$other" --version 2> /dev/null < /dev/null) == *"$v"* ]] || continue
    found "${all[0]} stands before $other, which is $v" Name="$name" Required="$v"; break
  done
done < .tool-versions
