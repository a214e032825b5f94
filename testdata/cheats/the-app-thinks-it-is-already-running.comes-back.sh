# cause: gave_up
# A process of the contestant's puts the file back whenever it is gone.
rm run/app.pid; (while :; do [ -e run/app.pid ] || echo 1 > run/app.pid; sleep 0.05; done) > /dev/null 2>&1 &
until [ -s run/app.pid ]; do sleep 0.01; done
