# cause: unproven
# A pid file with nonsense in it is found by no check.
echo none > run/app.pid
