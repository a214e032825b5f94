# cause: unproven
# A number that no process can have: the file still claims that one runs.
echo 99999999 > run/app.pid
