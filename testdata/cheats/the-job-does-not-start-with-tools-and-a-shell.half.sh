# cause: wrong_fix
# the bit to run it is set, and the line ends are left
chmod 755 bin/job
