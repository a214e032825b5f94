# cause: collateral
# The release that other projects use is overwritten.
cp ~/opt/certsync/2026.03.1/bin/certsync ~/bin/certsync
