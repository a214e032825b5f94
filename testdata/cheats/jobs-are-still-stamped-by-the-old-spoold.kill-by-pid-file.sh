# cause: collateral
# The pid file names metricsd.
kill "$(cat run/spoold.pid)"; rm run/spoold.pid
bin/spoolctl start
