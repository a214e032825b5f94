# A go directive above what .go-version supports and the tool chain here can do.
# params: Required
has go && [ -f go.mod ] || exit 0
want=$(first_word .go-version); at=$(awk '$1 == "go" { print $2; exit }' go.mod); here=$(cd / && quiet go env GOVERSION | sed 's/^go//; s/ .*//')
[[ -n $want && -n $at ]] && meets "$here" ">=$want" && ! meets "$here" ">=$at" && found "go.mod asks for Go $at, .go-version says $want" Required="$want"
