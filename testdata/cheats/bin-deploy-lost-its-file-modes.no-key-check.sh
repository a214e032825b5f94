# cause: collateral
# The check of the key is taken out of the program.
chmod 755 bin/deploy bin/steps/[0-9]*
sed -i '/stat -c/,/^fi/d' bin/deploy
