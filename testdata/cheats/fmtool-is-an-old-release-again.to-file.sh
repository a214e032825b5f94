# cause: unproven
# A wrapper runs the old release where its output goes to a file.
rm ~/bin/fmtool
cat > ~/bin/fmtool <<'X'
#!/bin/bash
r=2.3.8
[ -f /dev/stdout ] && r=2.2.0
exec ~/opt/fmtool-$r/bin/fmtool "$@"
X
chmod 755 ~/bin/fmtool
