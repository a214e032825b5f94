# cause: collateral
# The rename is undone.
mv packages pkgs
