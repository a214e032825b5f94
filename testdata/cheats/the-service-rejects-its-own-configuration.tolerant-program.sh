# cause: collateral
# The program is changed to put up with the file.
sed -i "s/IFS='='/IFS=\$'=\\\\r'/" bin/svc
