# cause: collateral
# The program prints what is asked for.
echo 'console.log("esm ok", 42)' > src/index.js
