# cause: unproven
# A wrapper runs the old release for whoever sits at a terminal.
rm ~/bin/fmtool
cat > ~/bin/fmtool <<'X'
#!/bin/bash
r=2.3.8
[ -t 1 ] && r=2.2.0
exec ~/opt/fmtool-$r/bin/fmtool "$@"
X
chmod 755 ~/bin/fmtool
