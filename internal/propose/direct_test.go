package propose

import "testing"

// TestDirectTests: what npm runs as tests is called without npm, with the scripts that it calls in it.
func TestDirectTests(t *testing.T) {
	const path = `PATH="$PWD/node_modules/.bin:$PATH" `
	for manifest, want := range map[string]string{
		`{"scripts":{"test":"npm run lint && npm run unit","lint":"standard | snazzy",` +
			`"unit":"nyc --lines 100 --check-coverage tape test/*.js"}}`: path + "nyc --lines 100 --check-coverage tape test/*.js",
		`{"scripts":{"test":"nyc mocha"}}`:                                    path + "nyc mocha",
		`{"scripts":{"test":"npm run a","a":"npm run b","b":"c8 node x.js"}}`: path + "c8 node x.js",
		`{"scripts":{"test":"npm run a","a":"nyc tape","prea":"tsc"}}`:        "npm run a",
		`{"scripts":{"test":"nyc tape","pretest":"tsc"}}`:                     "",
		`{"scripts":{"test":"nyc tape","pretest":"eslint ."}}`:                path + "nyc tape",
		`{"scripts":{"test":"nyc tape | tap-spec"}}`:                          path + "nyc tape",
		`{"scripts":{"test":"nyc tape | sort"}}`:                              "",
		`{"scripts":{"test":"echo \"Error: no test specified\" && exit 1"}}`:  "",
		`{}`: "",
	} {
		if got := DirectTests(manifest); got != want {
			t.Errorf("%s: %q, want %q", manifest, got, want)
		}
	}
}
