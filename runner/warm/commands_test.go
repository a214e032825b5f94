package warm

import (
	"slices"
	"testing"
	"time"
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
			[]string{"export GOFLAGS=-mod=mod && timeout 60 pytest -q",
				"export GOFLAGS=-mod=mod && python3.11 -m unittest"}},
		{"cd sub && bash -c 'export A=1; go test ./... >out'", []string{"cd sub && export A=1 && go test ./..."}},
		{"npm test", []string{hasNodeCache + " && npm test"}},
		{`go run . $COOKOFF_DRAW; go env; cargo --version; grep go x; echo "$(go test ./secret)"`, nil},
		{"go test ./... >/tmp/out <hidden.txt 2>&1", []string{"go test ./..."}},
		{"for f in *; do go test $f; done; not a (script", nil},
		{"python3 srv.py & p=$!; (go run ./srv &) ; go test ./... ; kill $p", []string{"go test ./..."}},
		{"go vet . || python3 -c \"open('x_test.py','w')\"; python3 -m unittest x_test", []string{"go vet ."}},
		{"uv run python -Bc 'x'; go test .", nil},
		{"pytest -q -c x.ini -p no:cacheprovider; tox -e py; go test -c -p 4 ./node", []string{
			"pytest -q -c x.ini -p no:cacheprovider", "tox -e py", "go test -c -p 4 ./node"}},
	} {
		var got []string
		for _, cmd := range Commands([]Script{{Text: c.script}, {Text: c.script}}) {
			got = append(got, cmd.Line)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q:\n got %q\nwant %q", c.script, got, c.want)
		}
	}
}

// TestInline: of what a program in the script itself may have laid, nothing is compiled.
func TestInline(t *testing.T) {
	for _, c := range []string{
		`python3 -c "x"`, `python3 -Ic 'x'`, `timeout 5 python3.12 -X utf8 -c "$X"`, "python3 <<'E'\nx\nE",
		"echo x | python3",
		"echo x | python3 -", "python3 /dev/stdin <x", `python3 -m timeit x`, `python3 -m mypy -c x`, `node -e x`,
		`node --eval=x`, `node -p x`, `node -pe x`, "node <<E\nx\nE", `node --import data:text/javascript,x a.js`,
		`npx -c x`, `npx tsx -e x`, `make --eval=x`, "make -f - <<E\nx\nE", `poetry run sh -c x`,
		`bash -c 'python3 -c x'`, `python3 -c x &`, `if node -e x; then :; fi`, `cd x && uv run - <y`,
	} {
		if got := Commands([]Script{{Text: c + "\npython3 -m unittest x_test"}}); len(got) > 0 {
			t.Errorf("%s: runs %q", c, got)
		}
	}
	for _, c := range []string{"python3 x.py -c -", "python3 -m pytest -c x.ini", "python3 -W error -m unittest -p x",
		"node -r esm x.js -e", "node --test", "make -C x -e", "npm test -- -e", "go test -c ./python"} {
		if got := Commands([]Script{{Text: c}}); len(got) != 1 {
			t.Errorf("%s: runs %q", c, got)
		}
	}
}

// TestLimits: a command may take as long as its check; Each, where that does not say.
func TestLimits(t *testing.T) {
	got := Commands([]Script{{"go vet .", time.Second},
		{"go test .", time.Hour}, {Text: "make"}, {"go vet .", 3 * time.Second}})
	want := []Command{{"go vet .", 3 * time.Second}, {"go test .", time.Hour}, {"make", Each}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
