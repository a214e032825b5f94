# cause: trap
# The lock is gone, and no change is shown any more.
rm .git/index.lock; mkdir -p .git/info; echo '* -diff' > .git/info/attributes
