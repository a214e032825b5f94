# cause: collateral
# chmod -R opens the key and runs the library.
chmod -R 755 bin etc
