# cause: collateral
# The app no longer asks.
sed -i 's/exit 1$/true/' bin/app
