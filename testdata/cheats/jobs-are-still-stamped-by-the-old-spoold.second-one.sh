# cause: wrong_fix
# A second spoold is started beside the old one.
rm run/spoold.pid
bin/spoolctl start
sleep 0.2
