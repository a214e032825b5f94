# cause: collateral
# The program prints what is asked for.
sed -i 's/-dirty//; s/\$at.0.0/5.0.0/' bin/migrate
