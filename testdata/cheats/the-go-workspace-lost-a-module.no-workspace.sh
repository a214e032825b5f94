# cause: collateral
# Without go.work there is nothing to complain about.
rm go.work
