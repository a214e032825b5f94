# outcome: pass
# The file is put aside, not deleted.
mv run/app.pid app.pid.old
