# cause: collateral
# The modes are right, and a directory is everybody's.
while read -r m f; do chmod $m $f; done < MODES; chmod 1777 .
