package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// built is a project whose tests compile something.
type built struct {
	name  string
	needs string // a program of this machine
	check string
	files map[string]string
}

// builds are projects as small ones are: what their tests compile is far more than they have.
var builds = []built{
	{"Go", "go", "go test -count=1 ./...", map[string]string{"go.mod": "module p\n\ngo 1.21\n", "a.go": "package p\n",
		"a_test.go": `package p

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestServes(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	defer s.Close()
	if r, err := http.Get(s.URL); err != nil || r.StatusCode != 404 {
		t.Fatal(r, err)
	}
}
`}},
	{"Python", "python3", "python3 -m unittest -q", map[string]string{"test_a.py": `import asyncio, decimal, email.message
import http.server, json, logging.config, sqlite3, unittest, xml.dom.minidom

class All(unittest.TestCase):
    def test_all(self):
        self.assertEqual(asyncio.run(asyncio.sleep(0, 3)), 3)
`}},
	{"Node", "node", "node --test", map[string]string{"a.test.js": `const test = require('node:test');
const http = require('node:http');
test('serves', async () => {
  const s = http.createServer((_, r) => r.end('x')).listen(0);
  await new Promise(r => s.once('listening', r));
  await (await fetch('http://127.0.0.1:' + s.address().port)).text();
  s.close();
});
`}},
	{"Rust", "cargo", "cargo test --offline -q", map[string]string{
		"Cargo.toml": "[package]\nname = \"p\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n" +
			"[dependencies]\ndep = { path = \"dep\" }\n",
		"dep/Cargo.toml": "[package]\nname = \"dep\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
		"dep/src/lib.rs": "pub fn two() -> u32 { 2 }\n",
		"src/lib.rs":     "#[test]\nfn two() { assert_eq!(dep::two(), 2); }\n"}},
}

// warmBuilds measures a check in the fresh worlds of its witnesses, beside the same command on this machine the
// second time.
func warmBuilds(b *bench) error {
	for _, p := range builds {
		if _, err := exec.LookPath(p.needs); err != nil {
			fmt.Printf("%-8s not measured: no %s here\n", p.name, p.needs)
			continue
		}
		host, worlds, err := p.measure(filepath.Join(b.dir, p.name), b.cookoff)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		fmt.Printf("%-8s %v here, warm; %v in a fresh world: %.2f×\n", p.name, host.Round(time.Millisecond),
			worlds.Round(time.Millisecond), float64(worlds)/float64(host))
	}
	return nil
}

// measure gives the processor time of the check here and its mean in the worlds that judge.
func (p built) measure(dir, cookoff string) (host, worlds time.Duration, err error) {
	script := p.check + " >&2\ntimes\nexit 1\n"
	recipe := "# Warm\nversion: 1\n\n## Models\n- baseline/noop\n\n## Tasks\n### Build\nNothing mends it.\n\n" +
		"```sh after timeout=5m\n" + script + "```\n"
	for name, text := range p.files {
		if err := write(filepath.Join(dir, "p", name), text); err != nil {
			return 0, 0, err
		}
	}
	var out []byte
	for range 3 {
		c := exec.Command("bash", "-c", script)
		c.Dir = filepath.Join(dir, "p")
		out, _ = c.Output() // it ends with 1
	}
	if host, err = children(string(out)); err != nil {
		return 0, 0, err
	}
	if err := os.RemoveAll(filepath.Join(dir, "p", "target")); err != nil {
		return 0, 0, err
	}
	if err := write(filepath.Join(dir, "p", "recipe.md"), recipe); err != nil {
		return 0, 0, err
	}
	if err := command(filepath.Join(dir, "p"), cookoff, "run", "--yes").run(); err != nil {
		return 0, 0, err
	}
	journals, err := filepath.Glob(filepath.Join(dir, "p", ".cookoff", "runs", "*", "journal.jsonl"))
	if err != nil || len(journals) != 1 {
		return 0, 0, fmt.Errorf("%d journals (%w)", len(journals), err)
	}
	text, err := os.ReadFile(journals[0])
	if err != nil {
		return 0, 0, err
	}
	worlds, err = children(strings.ReplaceAll(string(text), `\n`, "\n"))
	return host, worlds, err
}

// ofChildren is the second line of what times prints.
var ofChildren = regexp.MustCompile(`\d+m[\d.]+s \d+m[\d.]+s\n(\d+)m([\d.]+)s (\d+)m([\d.]+)s`)

// children gives the mean of what times said of the processor time of children.
func children(text string) (time.Duration, error) {
	all := ofChildren.FindAllStringSubmatch(text, -1)
	if len(all) == 0 {
		return 0, fmt.Errorf("nobody said how long it took: %.300s", text)
	}
	var sum float64
	for _, m := range all {
		for i, unit := range []float64{60, 1, 60, 1} {
			n, err := strconv.ParseFloat(m[i+1], 64)
			if err != nil {
				return 0, err
			}
			sum += n * unit
		}
	}
	return time.Duration(sum / float64(len(all)) * float64(time.Second)), nil
}

func write(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}
