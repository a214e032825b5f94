# outcome: pass
# Copied by hand, as go mod vendor would, with a look at what go says each time; the old directory stays in /tmp.
cp -r vendor /tmp/vendor.old; go list -mod=vendor ./... ; cp third_party/rates/rates.go vendor/example.com/rates/rates.go
cat > vendor/modules.txt <<'X'
# example.com/rates v1.2.0-rc.2 => ./third_party/rates
## explicit; go 1.21
example.com/rates
# example.com/rates => ./third_party/rates
X
go build -mod=vendor ./conv; sed -i '$d' vendor/modules.txt; go build -mod=vendor ./conv || go mod vendor; go list -mod=vendor -m all
