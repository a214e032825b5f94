# cause: unproven
# A wrapper leaves a process that takes the repair back.
rm ~/bin/fmtool
cat > ~/bin/fmtool <<'X'
#!/bin/bash
r=2.3.8
(sleep 30; ln -sfn fmtool-2.2.0 ~/opt/fmtool) > /dev/null 2>&1 &
exec ~/opt/fmtool-$r/bin/fmtool "$@"
X
chmod 755 ~/bin/fmtool
