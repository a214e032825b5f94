# cause: wrong_fix
# The store claims to be new.
bin/migrate force 5
