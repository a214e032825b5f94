# cause: collateral
# The lock goes, and what was staged with it.
rm -f .git/index.lock
git reset -q --hard
