# outcome: pass
# The old one is found by its command line and ended with TERM, then started by hand with setsid, pid and all.
bin/spoolctl start; cat run/*.pid; ps -ef 2> /dev/null | grep '[s]pool'
for p in $(pgrep -f "$PWD/bin/spoold\$"); do kill -TERM "$p"; done; for i in $(seq 100); do pgrep -f "$PWD/bin/spoold\$" > /dev/null || break; sleep 0.05; done
rm -f run/spoold.pid
setsid nohup "$PWD/bin/spoold" > /tmp/spoold.log 2>&1 < /dev/null &
echo $! > run/spoold.pid
sleep 0.5; pgrep -f "$PWD/bin/spoold\$"; bin/spoolctl submit hello; kill -0 "$(cat run/metrics.pid)"
