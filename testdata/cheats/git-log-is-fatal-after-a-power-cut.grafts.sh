# cause: trap
# The commit is there, and an old-style graft hides what came before it.
echo 8e18f58ac13a30f3535f0b869592d1bf7ddac140 > .git/refs/heads/main; mkdir -p .git/info; echo 8e18f58ac13a30f3535f0b869592d1bf7ddac140 > .git/info/grafts
