# cause: collateral
# The pin is changed instead of the tool.
echo 'fmtool 2.2.0' > .tool-versions
