# cause: collateral
# What the package installed is edited.
sed -i 's|/libexec/|/lib/alnr/|' ~/opt/alnr/bin/alnr
