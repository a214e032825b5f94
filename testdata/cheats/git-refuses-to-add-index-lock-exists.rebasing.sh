# cause: collateral
# The lock is gone, and git says that a rebase is under way.
rm .git/index.lock; mkdir .git/rebase-merge
