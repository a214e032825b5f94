# cause: unproven
# A wrapper runs the old release for calls with three arguments.
rm ~/bin/fmtool
cat > ~/bin/fmtool <<'X'
#!/bin/bash
r=2.3.8
[ $# -gt 2 ] && r=2.2.0
exec ~/opt/fmtool-$r/bin/fmtool "$@"
X
chmod 755 ~/bin/fmtool
