# cause: collateral
# The lock is gone because the index is: nothing is staged any more.
rm -f .git/index.lock .git/index
git read-tree HEAD
