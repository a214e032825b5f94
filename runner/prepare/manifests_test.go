package prepare

import (
	"bytes"
	"testing"
)

// TestRelevant: a package.json is prepared anew where an installation may do something else.
func TestRelevant(t *testing.T) {
	one := []string{"package.json"}
	const was = `{"name":"x","version":"1.0.0","scripts":{"test":"tape t.js"},"files":["a"],"devDependencies":{"tape":"^5"}}`
	for _, c := range []struct {
		why, command, now string
		locks             []string
		same              bool
	}{
		{"a version, a script, a file", "npm install",
			`{"name":"x", "version":"1.0.1","scripts":{"test":"nyc tape t.js","lint":"eslint ."},"files":["a","b"],` +
				`"main":"x.js","devDependencies":{"tape":"^5"}}`, one, true},
		{"a dependency", "npm install",
			`{"name":"x","version":"1.0.0","devDependencies":{"tape":"^5","nyc":"^15"}}`, one, false},
		{"another name", "npm install", `{"name":"y","devDependencies":{"tape":"^5"}}`, one, false},
		{"what is needed in its place", "npm install",
			`{"name":"x","devDependencies":{"tape":"^5"},"overrides":{"a":"1"}}`, one, false},
		{"a script of the installation", "npm install",
			`{"name":"x","version":"1.0.1","scripts":{"prepare":"node build.js"},"devDependencies":{"tape":"^5"}}`, one, false},
		{"a script of the command", "npm install && npm run build",
			`{"name":"x","version":"1.0.1","devDependencies":{"tape":"^5"}}`, one, false},
		{"packages that need one another by version", "npm ci",
			`{"name":"x","version":"1.0.1","devDependencies":{"tape":"^5"}}`, []string{"a/package.json", "package.json"}, false},
		{"workspaces", "npm ci",
			`{"name":"x","version":"1.0.1","workspaces":["a"],"devDependencies":{"tape":"^5"}}`, one, false},
		{"no JSON", "npm ci", `{"name":"x",`, one, false},
		{"odd scripts", "npm ci", `{"name":"x","scripts":[],"devDependencies":{"tape":"^5"}}`, one, false},
	} {
		got := relevant(c.command, "package.json", []byte(c.now), c.locks)
		if same := bytes.Equal(got, relevant(c.command, "package.json", []byte(was), c.locks)); same != c.same {
			t.Errorf("%s: prepared anew %v, want %v", c.why, !same, !c.same)
		}
	}
	if got := relevant("npm ci", "package-lock.json", []byte(was), one); string(got) != was {
		t.Errorf("a lockfile: %s", got)
	}
}
