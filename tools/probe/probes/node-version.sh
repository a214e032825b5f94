# A Node that is not the one that .nvmrc, .node-version, .tool-versions, mise.toml or package.json asks for.
# params: Required, MajorVersion
want=$(first_word .nvmrc); want=${want:-$(first_word .node-version)}; want=${want:-$(pin nodejs)}; want=${want:-$(pin node)}
want=${want:-$(json_key package.json node)}
[ -n "$want" ] && version node "$want" "$(has node && node --version)"
