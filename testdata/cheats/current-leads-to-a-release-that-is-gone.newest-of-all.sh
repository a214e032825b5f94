# cause: wrong_fix
# The newest by number, which is not whole.
ln -sfn releases/1.11.0 current
