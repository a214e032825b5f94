package prepare

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestAnew(t *testing.T) {
	dir := t.TempDir()
	for _, d := range []string{"node_modules/a", "web/node_modules", "docs/node_modules", ".venv/bin", "env",
		"src/shop.egg-info", "shop/egg-info"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range []string{"package-lock.json", "web/package.json", "docs/package.json"} {
		if err := os.WriteFile(filepath.Join(dir, f), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/usr/lib/node_modules", filepath.Join(dir, "away")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		command string
		want    []string
	}{
		{"python3 -m venv away", []string{"away"}},
		{"npm ci", []string{"node_modules"}},
		{"npm ci && npm --prefix web ci", []string{"node_modules", "web/node_modules"}},
		{"pnpm install --frozen-lockfile", []string{"node_modules"}},
		{"npm --prefix web ci", []string{"node_modules", "web/node_modules"}},
		{"npm run build && npm test -- install", nil},
		{"npm run build", nil},
		{"python3 -m venv .venv && .venv/bin/pip install x", []string{".venv"}},
		{"python3 -m venv --copies env", []string{"env"}},
		{"python3 -m venv ../env", nil},
		{"python3 -m venv . && true", nil},
		{"uv sync --frozen", []string{".venv", "src/shop.egg-info"}},
		{"mkdir -p node_modules", nil},
		{"cp -r . /tmp/p", nil},
		{"python3 -m venv env && env/bin/pip install -q -e . pytest", []string{"env", "src/shop.egg-info"}},
		{"pip install '.[test]'", []string{"src/shop.egg-info"}},
		{"pip install -q .", []string{"src/shop.egg-info"}},
		{"python setup.py develop", []string{"src/shop.egg-info"}},
		{"pip install pytest ./x.whl", nil},
	} {
		got, err := MadeBy(c.command, dir)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("Anew(%q) = %q, %v; want %q", c.command, got, err, c.want)
		}
	}
}

func TestAnewOfWorkspaces(t *testing.T) {
	for _, c := range []struct {
		name, file, text string
		want             []string
	}{
		{"pnpm", "pnpm-workspace.yaml", "packages:\n  - 'packages/*'\n  - \"apps/**\"\n",
			[]string{"node_modules", "apps/web/node_modules", "packages/a/node_modules"}},
		{"npm and yarn", "package.json", `{"workspaces": ["packages/*"]}`,
			[]string{"node_modules", "packages/a/node_modules"}},
		{"older yarns", "package.json", `{"workspaces": {"packages": ["./apps/web/"]}}`,
			[]string{"node_modules", "apps/web/node_modules"}},
		{"none", "package.json", `{}`, []string{"node_modules"}},
	} {
		dir := t.TempDir()
		for _, d := range []string{".", "packages/a", "apps/web", "examples/one"} {
			if err := os.MkdirAll(filepath.Join(dir, d, "node_modules"), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, d, "package.json"), []byte("{}"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, c.file), []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		got, err := MadeBy("pnpm install --frozen-lockfile", dir)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, %v; want %q", c.name, got, err, c.want)
		}
	}
}
