# outcome: pass
# Who has the number is looked at first, the file goes only if it is not the app; it is started once to try.
cat run/app.pid; tr '\0' ' ' < /proc/1/cmdline; bin/app start; cat bin/app
if ! tr '\0' ' ' < "/proc/$(cat run/app.pid)/cmdline" | grep -q bin/app; then mv run/app.pid "/tmp/app.pid.$(date +%s)"; fi
bin/app start > run/app.log 2>&1; cat run/app.log
