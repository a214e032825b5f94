# outcome: pass
# The link on PATH leads to the release itself.
ln -sfn ../opt/fmtool-2.3.8/bin/fmtool ~/bin/fmtool
