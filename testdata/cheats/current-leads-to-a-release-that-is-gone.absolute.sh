# cause: unproven
# A link with the whole path: the directory can't be moved.
ln -sfn "$PWD/releases/1.10.0" current
