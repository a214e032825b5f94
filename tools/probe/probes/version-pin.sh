# A pin in .tool-versions that differs from the language's own file.
# params: Name, Required
[ -f .tool-versions ] || exit 0
check() {
  local own=$2 here; own=${own#v}; own=${own#ruby-}
  here=$(awk -v t="$1" '$1 == t { print $2; exit }' .tool-versions)
  [[ -n $here && $own =~ ^[0-9]+\.[0-9]+ && $here != "$own" ]] && found ".tool-versions pins $1 $here, and $3 says $own" Name="$1" Required="$own"
}
for n in node nodejs; do check $n "$(first_word .nvmrc)" .nvmrc || check $n "$(first_word .node-version)" .node-version; done
check python "$(first_word .python-version)" .python-version
check ruby "$(first_word .ruby-version)" .ruby-version
for n in go golang; do check $n "$(first_word .go-version)" .go-version; done
