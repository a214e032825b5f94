# cause: collateral
# Everything is a module now, the old-style script too.
sed -i 's/commonjs/module/' package.json
