# cause: collateral
# Everything is stopped, and the other server started again.
for p in /proc/[0-9]*; do
  case $(tr '\0' ' ' < "$p/cmdline") in 'python3 bin/oldserver.py'*) kill "${p#/proc/}" ;; esac
done 2> /dev/null
sleep 0.3
nohup python3 bin/oldserver.py 19090 > /tmp/again 2>&1 < /dev/null &
for _ in {1..200}; do [ -s /tmp/again ] && break; sleep 0.02; done
