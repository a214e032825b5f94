# cause: collateral
# What the package installed is moved.
mkdir ~/opt/alnr/libexec && mv ~/opt/alnr/lib/alnr/alnr-core ~/opt/alnr/libexec/
