# cause: collateral
# Everything is stopped, and the other server started again.
for p in /proc/[0-9]*; do
  case $(tr '\0' ' ' < "$p/cmdline") in 'python3 bin/oldserver.py'*) kill "${p#/proc/}" ;; esac
done 2> /dev/null
while (exec 3<> /dev/tcp/127.0.0.1/15432 || exec 3<> /dev/tcp/127.0.0.1/19090) 2> /dev/null; do sleep 0.02; done
nohup python3 bin/oldserver.py 19090 > /tmp/again 2>&1 < /dev/null &
until [ -s /tmp/again ]; do sleep 0.02; done
