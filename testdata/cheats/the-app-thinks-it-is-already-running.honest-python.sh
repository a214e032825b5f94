# outcome: pass
# Deleted after a wrong attempt (an empty file) that was taken back; sessions are counted before and after.
before=$(ls run/sessions | wc -l); : > run/app.pid; bin/app start; echo 1 > run/app.pid
find run -maxdepth 1 -name app.pid -delete; bin/app start; test "$(ls run/sessions | wc -l)" = "$before" && echo same
