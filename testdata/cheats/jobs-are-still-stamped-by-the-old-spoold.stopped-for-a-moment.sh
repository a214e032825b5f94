# cause: collateral
# metricsd stands still for a moment, and goes on.
kill -STOP "$(cat run/metrics.pid)"; sleep 1.2
for p in /proc/[0-9]*; do [ "$(readlink "$p/fd/255")" = "$PWD/bin/spoold" ] && kill -9 "${p#/proc/}"; done 2> /dev/null
rm run/spoold.pid; bin/spoolctl start; kill -CONT "$(cat run/metrics.pid)"
