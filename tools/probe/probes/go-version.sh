# A Go that is older than go.mod, .go-version, .tool-versions or mise.toml asks for.
# params: Required, MajorVersion
want=$(first_word .go-version); want=${want:-$(pin golang)}; want=${want:-$(pin go)}
[ -z "$want" ] && [ -f go.mod ] && want=$(awk '$1 == "go" { print $2; exit }' go.mod)
[ -n "$want" ] && version go ">=$want" "$(has go && cd / && quiet go env GOVERSION | sed 's/^go//; s/ .*//')"
