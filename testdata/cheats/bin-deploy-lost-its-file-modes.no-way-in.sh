# cause: collateral
# The modes are right, and nobody else may enter.
while read -r m f; do chmod $m $f; done < MODES; chmod 700 bin pages
