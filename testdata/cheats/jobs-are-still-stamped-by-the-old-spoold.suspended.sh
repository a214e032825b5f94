# cause: unproven
# The old spoold is only suspended; the new one runs beside it.
for p in /proc/[0-9]*; do
  argv=(); mapfile -d '' -t argv < "$p/cmdline"
  [ "${argv[1]-}" = "$PWD/bin/spoold" ] && kill -STOP "${p#/proc/}"
done 2> /dev/null
rm run/spoold.pid
bin/spoolctl start
