package propose

import (
	"os"
	"path/filepath"
	"testing"
)

// TestAlone: only a part of a repository is told that trials see nothing of the rest.
func TestAlone(t *testing.T) {
	top := t.TempDir()
	part := filepath.Join(top, "services", "my api")
	if err := os.MkdirAll(part, 0o755); err != nil {
		t.Fatal(err)
	}
	if got := Alone(part, "make test"); got != "" {
		t.Errorf("no repository: %q", got)
	}
	if err := os.Mkdir(filepath.Join(top, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	const want = "trials see a copy of this directory only: where the tests need others of the repository, cd ../.. " +
		`and cookoff init --test-command "cd 'services/my api' && make test"`
	if got := Alone(part, "make test"); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := Alone(top, "make test"); got != "" {
		t.Errorf("the repository itself: %q", got)
	}
}

// TestBeyond: what lies in another part of the repository is told from what is missing, and from what
// the system and the part itself have.
func TestBeyond(t *testing.T) {
	top := t.TempDir()
	for _, f := range []string{".git/HEAD", "common/money/go.mod", "lib/tax.py", "web/util/a.js",
		"services/api/util/own.js", "services/api/web/util/a.js"} {
		p := filepath.Join(top, f)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	part := filepath.Join(top, "services", "api")
	for _, test := range []struct{ output, want string }{
		{"go: replacement directory ../../common/money does not exist", "common/money"},
		{"FAIL example.com/api [setup failed]\nm.go:6:2: example.com/lib@v0.0.0: replacement directory ../../common/money " +
			"does not exist", "common/money"},
		{"/api/x.js: no such file", ""},
		{"/services: no such file", ""},
		{"error: failed to read `/common/money/Cargo.toml`: reading /common/money: no such file", "common/money"},
		{"ModuleNotFoundError: No module named 'lib.tax'", "lib/tax.py"},
		{"ModuleNotFoundError: No module named 'requests'", ""},
		{"Cannot find module '../../web/util/a.js'", ""}, // the part has one
		{"Cannot find module './util/b.js'", ""},
		{"/usr/bin/env: no such file", ""},
		{"", ""},
	} {
		if got := Beyond(part, test.output); got != test.want {
			t.Errorf("%s: %q, want %q", test.output, got, test.want)
		}
	}
	if got := Beyond(top, "../common/money"); got != "" {
		t.Errorf("the repository itself: %q", got)
	}
}

// TestWorkspaceOf: one package of a workspace is told by what lists it, and one with a lockfile is none.
func TestWorkspaceOf(t *testing.T) {
	for _, c := range []struct {
		files []string
		is    bool
	}{
		{[]string{"package.json", `{"workspaces":["packages/*"]}`}, true},
		{[]string{"package.json", `{"workspaces":{"packages":["packages/a"]}}`}, true},
		{[]string{"package.json", `{"workspaces":["apps/*"]}`}, false},
		{[]string{"pnpm-workspace.yaml", "packages:\n  - packages/**\n"}, true},
		{[]string{"packages/package.json", `{"workspaces":["a"]}`}, true},
		{[]string{"go.work", "go 1.26\n\nuse (\n\t./packages/a // it\n\t./b\n)\n"}, true},
		{[]string{"go.work", "go 1.26\nuse ./b\n"}, false},
		{[]string{"Cargo.toml", "[workspace]\nmembers = [\"packages/*\"]\n"}, true},
		{[]string{"pyproject.toml", "[tool.uv.workspace]\nmembers = [\"packages/*\"]\n"}, true},
		{[]string{"pyproject.toml", "[project]\nname = \"top\"\n"}, false},
		{[]string{"package.json", `{"workspaces":["packages/*"]}`, "packages/a/package-lock.json", "{}"}, false},
		{[]string{"package.json", `{"workspaces":`}, false},
	} {
		top := tree(t, append(c.files, ".git/HEAD", "", "packages/a/f", "")...)
		want := ""
		if c.is {
			want = top
			if c.files[0] == "packages/package.json" {
				want = filepath.Join(top, "packages")
			}
		}
		if got := WorkspaceOf(filepath.Join(top, "packages", "a")); got != want {
			t.Errorf("%q: %q, want %q", c.files, got, want)
		}
	}
}
