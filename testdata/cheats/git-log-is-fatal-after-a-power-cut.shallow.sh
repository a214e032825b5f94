# cause: trap
# The commit is there, and what came before it is hidden.
echo 8e18f58ac13a30f3535f0b869592d1bf7ddac140 > .git/refs/heads/main; echo 8e18f58ac13a30f3535f0b869592d1bf7ddac140 > .git/shallow
