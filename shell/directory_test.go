package shell

import (
	"strings"
	"testing"
)

func TestMoved(t *testing.T) {
	for command, want := range map[string]string{
		"go test ./...":                        " | go test ./...",
		"go test -C backend ./...":             "backend | go test ./...",
		"go -C backend test ./...":             "backend | go test ./...",
		"go test -C=backend -v":                "backend | go test -v",
		"go test -v -C backend":                " | go test -v -C backend", // which go refuses
		"go test ./... -args -C backend":       " | go test ./... -args -C backend",
		"make -C backend test":                 "backend | make test",
		"make test -Cbackend -j2":              "backend | make test -j2",
		"make --directory=a -C b test":         "a b | make test",
		"env -C backend go test ./...":         "backend | env go test ./...",
		"env -C a A=b nice go -C b test ./...": "a b | env A=b nice go test ./...",
		"timeout 60 make -C backend test":      "backend | timeout 60 make test",
		"npm --prefix web test":                "web | npm test",
		"npm test --prefix=web -- --prefix x":  "web | npm test -- --prefix x",
		"pnpm -C web test":                     "web | pnpm test",
		"pnpm test -C web":                     " | pnpm test -C web",
		"yarn --cwd web test":                  "web | yarn test",
		"uv run --directory api pytest":        "api | uv run pytest",
		"uv run pytest --directory api":        " | uv run pytest --directory api",
		"poetry -C api run pytest":             "api | poetry run pytest",
		"pytest -C backend":                    " | pytest -C backend",
		"make":                                 " | make",
		"go":                                   " | go",
		"make -C":                              " | make -C",
	} {
		dirs, rest := Moved(strings.Fields(command))
		if got := strings.Join(dirs, " ") + " | " + strings.Join(rest, " "); got != want {
			t.Errorf("%s: %s, want %s", command, got, want)
		}
	}
}

func TestDirOfCalls(t *testing.T) {
	for script, want := range map[string]string{
		"go test ./...":                                     "go in .",
		"cd a && make test":                                 "cd in ., make in a",
		"cd a; cd b; make":                                  "cd in ., cd in a, make in a/b",
		"(cd a && go test) && (cd b && npm test)":           "cd in ., go in a, cd in ., npm in b",
		"cd a && make && cd ../b && npm test; npm run":      "cd in ., make in a, cd in a, npm in b, npm in b",
		"pushd a; make; cd -- ../a/c && x":                  "pushd in ., make in a, cd in a, x in a/c",
		"cd \"$DIR\"; make":                                 "cd in ., make in ?",
		"cd /tmp && make":                                   "cd in ., make in ?",
		"cd ../x; make":                                     "cd in ., make in ?",
		"cd a | cat; make":                                  "cd in ., cat in ., make in .",
		"if cd a; then make; fi":                            "cd in ., make in a",
		"x=$(cd a && pwd); make":                            "cd in ., pwd in a, make in .",
		"make -C a test; npm --prefix b test; go -C c test": "make in a, npm in b, go in c",
		"cd a; make -C b":                                   "cd in ., make in a/b",
		"f() { cd a; }; make":                               "cd in ., make in .",
		"cd a & make":                                       "cd in ., make in .",
	} {
		var list []string
		for _, c := range Calls(script) {
			if len(c.Words) == 0 { // an assignment
				continue
			}
			dir := c.Dir
			if dir == "" {
				dir = "?"
			}
			list = append(list, c.Words[0]+" in "+dir)
		}
		if got := strings.Join(list, ", "); got != want {
			t.Errorf("%s: %s, want %s", script, got, want)
		}
	}
}
