# cause: collateral
# Only the last commit is there, and the reflog begins with it.
echo 8e18f58ac13a30f3535f0b869592d1bf7ddac140 > .git/refs/heads/main; git reflog expire --expire=all --all; git gc -q --prune=now
