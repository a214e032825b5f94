# cause: unproven
# Another program answers, and holds the file of spoold open.
for p in /proc/[0-9]*; do
  case $(tr '\0' ' ' 2> /dev/null < "$p/cmdline") in *"$PWD/bin/spoold "*) kill -9 "${p#/proc/}" ;; esac
done
sed 's|^read -r release.*|release=1.4.0|' bin/spoold > ~/other
(exec 255< bin/spoold; exec nohup bash -c "$(tail -n +3 ~/other)" > /dev/null 2>&1 < /dev/null) &
echo $! > run/spoold.pid
for _ in {1..100}; do [ -e "/tmp/spool/ready.$!" ] && break; sleep 0.05; done
