# cause: unproven
# A wrapper counts its calls, and runs the old release after some.
rm ~/bin/fmtool
cat > ~/bin/fmtool <<'X'
#!/bin/bash
r=2.3.8
echo >> ~/.n; [ "$(wc -l < ~/.n)" -gt 40 ] && r=2.2.0
exec ~/opt/fmtool-$r/bin/fmtool "$@"
X
chmod 755 ~/bin/fmtool
