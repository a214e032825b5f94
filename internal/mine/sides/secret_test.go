package sides

import (
	"slices"
	"testing"
)

// TestSecretLines: of the lines of a fix those are looked for that say something, first what says much.
func TestSecretLines(t *testing.T) {
	const much = `if (!semver.satisfies(candidate, lowerBound, { includePrerelease })) {`
	const some = `return this.decode(chunk, false)`
	secret := SecretLines([]Pair{{Path: "lib/range.js", Was: "old();\n", Now: "old();\n" + some + "\n  " + much +
		"\nif (err) { return callback(err, null, undefined); }\n// a comment that is long enough to be looked for\n"}})
	if !slices.Equal(secret, []string{much, some}) {
		t.Errorf("%q", secret)
	}
}
