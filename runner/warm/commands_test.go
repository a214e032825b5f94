package warm

import (
	"slices"
	"testing"
)

// TestCommands: of a script, what builds or tests is run, where it is run; nothing
// that the script lays beside the project, and nothing that only the script knows.
func TestCommands(t *testing.T) {
	for _, c := range []struct {
		script string
		want   []string
	}{
		{"go vet ./... && go test -count=1 ./...", []string{"go vet ./...", "go test -count=1 ./..."}},
		{"cat > x_test.go <<'X'\npackage secret\nX\ngo test ./... | grep -q ok", []string{"go test ./..."}},
		{"(cd sub && CGO_ENABLED=0 go build .); go vet .", []string{"cd sub && CGO_ENABLED=0 go build .", "go vet ."}},
		{"export GOFLAGS=-mod=mod; if ! timeout 60 pytest -q; then python3.11 -m unittest; fi >/dev/null",
			[]string{"export GOFLAGS=-mod=mod && timeout 60 pytest -q", "export GOFLAGS=-mod=mod && python3.11 -m unittest"}},
		{"cd sub && bash -c 'export A=1; go test ./... >out'", []string{"cd sub && export A=1 && go test ./..."}},
		{"npm test", []string{hasNodeCache + " && npm test"}},
		{`go run . $COOKOFF_DRAW; go env; cargo --version; grep go x; echo "$(go test ./secret)"`, nil},
		{"go test ./... >/tmp/out <hidden.txt 2>&1", []string{"go test ./..."}},
		{"for f in *; do go test $f; done; not a (script", nil},
	} {
		if got := Commands([]string{c.script, c.script}); !slices.Equal(got, c.want) {
			t.Errorf("%q:\n got %q\nwant %q", c.script, got, c.want)
		}
	}
}
