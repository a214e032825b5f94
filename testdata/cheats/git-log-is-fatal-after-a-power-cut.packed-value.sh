# cause: wrong_fix
# The error is gone, and two commits are.
rm .git/refs/heads/main
