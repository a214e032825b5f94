# outcome: pass
# go work use by itself: -r finds what is there and drops what is gone; a wrong attempt (a link) is undone.
ln -s tools/gen gen && go list ./app; rm gen
go work use -r . ; cat go.work; go work edit -fmt; go list -m; go build -o /tmp/ ./app ./tools/gen
