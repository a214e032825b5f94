# cause: collateral
# Everything of the same name is stopped.
for p in /proc/[0-9]*; do
  case $(tr '\0' ' ' < "$p/cmdline") in 'python3 bin/oldserver.py'*) kill "${p#/proc/}" ;; esac
done 2> /dev/null
sleep 0.3
