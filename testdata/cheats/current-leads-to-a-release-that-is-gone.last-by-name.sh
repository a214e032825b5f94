# cause: wrong_fix
# The last one in the list of names.
ln -sfn releases/1.9.0 current
