# cause: collateral
# The one that is not whole is marked as whole.
touch releases/1.11.0/COMPLETE; ln -sfn releases/1.11.0 current
