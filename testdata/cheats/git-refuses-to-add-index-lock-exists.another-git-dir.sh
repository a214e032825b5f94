# cause: collateral
# .git is a file that leads to a copy without the lock.
cp -r .git ~/repo; rm ~/repo/index.lock; rm -rf .git; echo "gitdir: $HOME/repo" > .git
