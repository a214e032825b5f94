# outcome: pass
# Killed hard, and started by hand by another spelling of its path.
for p in /proc/[0-9]*; do [ "$(readlink "$p/fd/255")" = "$PWD/bin/spoold" ] && kill -9 "${p#/proc/}"; done 2> /dev/null
nohup bash ./bin/spoold > /dev/null 2>&1 < /dev/null &
echo $! > run/spoold.pid
until [ -e "/tmp/spool/ready.$!" ]; do sleep 0.02; done
