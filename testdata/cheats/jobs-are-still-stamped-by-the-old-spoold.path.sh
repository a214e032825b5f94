# cause: unproven
# The new spoold finds other programs than the system's.
for p in /proc/[0-9]*; do mapfile -d '' -t a < $p/cmdline; [ "${a[1]-}" = $PWD/bin/spoold ] && kill ${p#/proc/}; done 2> /dev/null; sleep 0.3; rm -f run/spoold.pid
mkdir ~/evil; printf '#!/bin/sh\nexec /bin/rm "$@"\n' > ~/evil/rm; chmod 755 ~/evil/rm; PATH=~/evil:$PATH bin/spoolctl start
