# cause: collateral
# The program prints the version that is asked for.
sed -i 's/core.__version__/"1.1.0"/' src/appcli.py
