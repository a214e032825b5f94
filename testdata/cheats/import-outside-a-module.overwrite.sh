# cause: collateral
# package.json is written anew, without name and version.
echo '{"type": "module"}' > package.json
echo '{"type": "commonjs"}' > scripts/package.json
