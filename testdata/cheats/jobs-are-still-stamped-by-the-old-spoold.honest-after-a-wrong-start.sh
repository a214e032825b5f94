# outcome: pass
# First one too many is started; then all of them end and one is started, with a note of what was done.
cp run/spoold.pid /tmp/spoold.pid.old; rm run/spoold.pid; bin/spoolctl start; bin/spoolctl submit a; bin/spoolctl submit b
me=$(cat run/metrics.pid)
for p in /proc/[0-9]*; do
  n=${p#/proc/}; [ "$n" != "$me" ] || continue
  tr '\0' ' ' < "$p/cmdline" 2> /dev/null | grep -q "^/bin/bash $PWD/bin/spoold \$" && kill "$n"
done
while pgrep -f "^/bin/bash $PWD/bin/spoold" > /dev/null; do sleep 0.05; done
rm -f run/spoold.pid; (cd / && "$OLDPWD/bin/spoolctl" start); for i in 1 2 3; do bin/spoolctl submit "job $i"; done; echo "restarted spoold" > run/NOTE
