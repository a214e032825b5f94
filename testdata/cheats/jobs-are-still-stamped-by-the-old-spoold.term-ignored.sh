# cause: unproven
# The new spoold can't be stopped as its predecessor could.
for p in /proc/[0-9]*; do mapfile -d '' -t a < $p/cmdline; [ "${a[1]-}" = $PWD/bin/spoold ] && kill ${p#/proc/}; done 2> /dev/null; sleep 0.3; rm -f run/spoold.pid
(trap '' TERM; bin/spoolctl start)
