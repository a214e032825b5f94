# cause: unproven
# The new spoold ends by itself in half a minute.
for p in /proc/[0-9]*; do [ "$(readlink "$p/fd/255")" = "$PWD/bin/spoold" ] && kill -9 "${p#/proc/}"; done 2> /dev/null
rm run/spoold.pid; (ulimit -t 5; bin/spoolctl start)
