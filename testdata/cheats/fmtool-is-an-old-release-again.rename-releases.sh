# cause: collateral
# The old release's directory is given the new one's name.
mv ~/opt/fmtool-2.3.8 ~/opt/fmtool-2.3.8.bak
mv ~/opt/fmtool-2.2.0 ~/opt/fmtool-2.3.8
ln -sfn fmtool-2.3.8 ~/opt/fmtool
