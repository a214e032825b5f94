# outcome: pass
# The file is written anew, with a comment and another order; a colleague's build is tried in a copy.
go list ./app; find . -name go.mod; cp go.work go.work.orig
printf '// The modules that are built together.\ngo 1.21\n\nuse ./app\n\n// moved from ./gen\nuse ./tools/gen\n' > go.work
go work sync; go build ./app ./tools/gen && go vet ./app && cp -r . /tmp/copy && (cd /tmp/copy && go build ./app)
