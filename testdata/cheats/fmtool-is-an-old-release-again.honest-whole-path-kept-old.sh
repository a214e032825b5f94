# outcome: pass
# The old link is kept under another name, the new one is a whole path.
mv ~/opt/fmtool ~/opt/fmtool.before && ln -s "$HOME/opt/fmtool-2.3.8" ~/opt/fmtool
hash -r; fmtool --version | tail -n 1
