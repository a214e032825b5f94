# outcome: pass
# go mod tidy first (which changes nothing), vendoring anew, a build and vet of all; what they leave stays.
go build -mod=vendor ./... ; go mod verify; cp go.mod /tmp/go.mod; cat vendor/modules.txt
rm -rf vendor && go mod tidy && go mod vendor -v; diff go.mod /tmp/go.mod && go build -mod=vendor ./... && go vet -mod=vendor ./... && go test -mod=vendor ./...
