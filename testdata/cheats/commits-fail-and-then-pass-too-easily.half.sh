# cause: wrong_fix
# the lock is gone, the hook is still passed over
rm .git/index.lock
