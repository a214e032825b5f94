# outcome: pass
# The workspace is made anew.
rm go.work; go work init; go work use -r .
