# cause: wrong_fix
# The wrong pid is gone, the old spoold is not.
rm run/spoold.pid
