# outcome: pass
# A wrapper that runs the release which .tool-versions names.
rm ~/bin/fmtool
cat > ~/bin/fmtool <<'X'
#!/bin/bash
v=2.3.8; [ -r .tool-versions ] && v=$(awk '$1 == "fmtool" { print $2 }' .tool-versions)
exec "$HOME/opt/fmtool-$v/bin/fmtool" "$@"
X
chmod 755 ~/bin/fmtool
