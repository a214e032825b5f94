# outcome: pass
# Tries it with a stash, and takes that back.
rm -f .git/index.lock; git stash -q; git stash pop -q --index
