# cause: trap
# The objects lie in a directory of HOME now.
echo 8e18f58ac13a30f3535f0b869592d1bf7ddac140 > .git/refs/heads/main; mv .git/objects ~/obj; mkdir -p .git/objects/info; echo ~/obj > .git/objects/info/alternates
