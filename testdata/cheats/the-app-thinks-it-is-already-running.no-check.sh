# cause: collateral
# The program no longer looks.
sed -i '/run\/app.pid/,/^fi/d' bin/app
