package facts

import (
	"bufio"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cookoff/recipe"
	"cookoff/verify/lint"
	"cookoff/verify/versions"
)

// facts reads a file of facts, one JSON object a line.
func facts[T any](t *testing.T, name string) []T {
	t.Helper()
	dir := os.Getenv("COOKOFF_FACTS")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "facts")
	}
	f, err := os.Open(filepath.Join(dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("no facts here: %v (set COOKOFF_FACTS)", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []T
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		var row T
		if err := json.Unmarshal(sc.Bytes(), &row); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		out = append(out, row)
	}
	if sc.Err() != nil || len(out) == 0 {
		t.Fatalf("%s: %d rows, %v", name, len(out), sc.Err())
	}
	return out
}

// deviations are rows on which docs/verify.md decides otherwise than the
// system the facts were taken from. One that no longer deviates is an error.
type deviations map[string]string

func (d deviations) check(t *testing.T, key string, agrees bool, got string) {
	t.Helper()
	why, named := d[key]
	switch {
	case !agrees && !named:
		t.Errorf("%s: %s", key, got)
	case agrees && named:
		t.Errorf("%s: no deviation any more (%s)", key, why)
	}
	delete(d, key)
}

func (d deviations) done(t *testing.T) {
	t.Helper()
	for key, why := range d {
		t.Errorf("deviation %q (%s) names no row", key, why)
	}
}

func TestTransformFacts(t *testing.T) {
	type row struct {
		Kind, Format, Input, Source string
		Want                        *string
		WantErr                     bool
	}
	dev := deviations{
		"transform some_future_format v1.2.3":   "an unknown format is an error, no fallback to raw",
		"transform SEMVER 2024.01.15":           "an unknown format is an error, no fallback to raw",
		"transform SEMVER vv1.2.3":              "an unknown format is an error, no fallback to raw",
		"transform strip_prefix:biome@ 1.2.3.4": "strip_prefix is a format here, and TEXT must be there",
		"transform calver v":                    "calver is a format here, and finds nothing",
		"transform strip_v vv1.2.3":             "strip_v only before a digit",
		"transform strip_v version1.2.3":        "strip_v only before a digit",
		"transform strip_v vim-9.1.0":           "strip_v only before a digit",
		"transform raw 1..2.3":                  "\"..\" is no version",
		"validate  1..2.3":                      "\"..\" is no version",
		"transform semver 1.2.3/../x":           "\"..\" is no version",
		"transform semver_full 1.2.3/../x":      "\"..\" is no version",
		"transform strip_v 1.2.3/../x":          "\"..\" is no version",
		"validate  1.2.3/../x":                  "\"..\" is no version",
		"transform strip_v ..":                  "\"..\" is no version",
		"transform semver -1.2.3":               "no leading -",
		"transform strip_v -1.2.3":              "no leading -",
		"validate  -1.2.3":                      "no leading -",
		"validate  a@1.0.0":                     "@ and / are allowed",
	}
	seen := map[string]bool{}
	for _, r := range facts[row](t, "tsuku-transform-cases.jsonl") {
		key := strings.Join([]string{r.Kind, r.Format, r.Input}, " ")
		if seen[key] {
			continue // the same row from another source
		}
		seen[key] = true
		if r.Kind == "validate" {
			err := versions.ValidateVersion(r.Input)
			dev.check(t, key, (err != nil) == r.WantErr, "unexpected "+errText(err))
			continue
		}
		got, err := versions.Transform(r.Format, r.Input)
		agrees := (err != nil) == r.WantErr && (r.WantErr || got == *r.Want)
		dev.check(t, key, agrees, got+" "+errText(err))
	}
	dev.done(t)
}

func errText(err error) string {
	if err == nil {
		return "no error"
	}
	return err.Error()
}

// loose reads a verify block the way its JSON has it, types and keys unchecked.
func loose(raw map[string]any) (recipe.VerifyBlock, error) {
	var b recipe.VerifyBlock
	data, err := json.Marshal(raw)
	if err != nil {
		return b, err
	}
	dec := json.NewDecoder(strings.NewReader(string(data)))
	dec.DisallowUnknownFields()
	return b, dec.Decode(&b)
}

func TestValidatorFacts(t *testing.T) {
	type row struct {
		Name       string
		Outcome    string
		Verify     map[string]any
		RecipeType string `json:"recipe_type"`
	}
	none, warning, failure := "none", "warning", "error"
	dev := deviations{}
	why := func(reason string, names ...string) {
		for _, n := range names {
			dev[n] = reason
		}
	}
	why("version mode needs a pattern with {version}: an error, no warning", "dangerous: curl pipe sh", "dangerous: or",
		"dangerous: and",
		"dangerous: eval start", "dangerous: exec start", "dangerous: backtick", "dangerous: eval mid",
		"dangerous: exec mid", "version mode literal pattern",
		"design: version mode requires pattern (empty only with explicit mode)")
	why("output mode needs a pattern", "design: output mode requires pattern",
		"observed: output, empty pattern, reason")
	why("functional is a mode", "design: functional WITH reason is valid", "observed: functional+reason+pattern")
	why("an unknown version_format is an error, but strip_prefix is known", "observed: version_format bogus")
	why("seen by parsing the shell", "observed: /bin/rm", "observed: redirect >/ no space", "observed: | zsh",
		"observed: | dash", "observed: | python",
		"observed: eval quoted", "observed: <( proc subst", "observed: & background", "observed: dd", "observed: mkfs",
		"observed: true")
	why("no danger when parsed", "observed: | shasum FP", "observed: | bashful FP", "observed: kubectl exec FP",
		"observed: both eval and exec mid")
	why("blanks are no command", "observed: space only")
	why("{version} is not expanded in output mode", "observed: output pattern has {version}")
	why("an unknown key is an error", "observed: unknown key in verify")
	why("no exit status", "observed: exit_code -1")
	why("says too little", "observed: pattern single dot",
		"design: version_format ignored in non-version mode, no finding")
	why("echo can't fail", "observed: ${} ok")
	why("additional is held to the block's mode", "observed: additional exit_code ignored key",
		"observed: additional dangerous twice")
	for _, r := range facts[row](t, "tsuku-validator-cases.jsonl") {
		if r.Verify == nil || r.RecipeType == "library" {
			continue // no block; kinds of recipe that are not ours
		}
		got := none
		b, err := loose(r.Verify)
		var found []lint.Finding
		if err != nil {
			got = failure
		} else {
			found = lint.Block(b)
		}
		for _, f := range found {
			if !f.Warning {
				got = failure
			} else if got == none {
				got = warning
			}
		}
		text, _ := json.Marshal(found)
		dev.check(t, r.Name, got == r.Outcome, got+", facts say "+r.Outcome+": "+string(text)+errText(err))
	}
	dev.done(t)
}

// Every block of the corpus is good, or refused for a reason its maintainer
// would accept; which reasons, and how often, is fixed here.
func TestCorpusFacts(t *testing.T) {
	type row struct {
		File   string
		Verify map[string]any
	}
	got := map[string]int{}
	for _, r := range facts[row](t, "tsuku-verify-corpus.jsonl") {
		b, err := loose(r.Verify)
		if err != nil {
			t.Errorf("%s: %v", r.File, err)
			continue
		}
		reasons := map[string]bool{}
		for _, f := range lint.Block(b) {
			level := "error"
			if f.Warning {
				level = "warning"
			}
			reasons[level+" "+f.Key+": "+stripPlace(f.Msg)] = true
		}
		if len(reasons) == 0 {
			reasons["good"] = true
		}
		for r := range reasons {
			got[r]++
		}
	}
	want := map[string]int{
		"good": 94,
		"error command: {install_dir} is not filled in in a command": 2,
		"error pattern: mode version needs a pattern with {version}": 430,
		"error pattern: mode version needs {version} in the pattern": 3,
		"error pattern: mode output needs a pattern":                 11,
		"error reason: mode output needs a reason":                   3,
		`warning command: "echo" can't fail`:                         1,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("reasons (-want +got):\n%s", diff)
	}
}

// stripPlace drops the position from a message.
func stripPlace(msg string) string {
	before, _, _ := strings.Cut(msg, " at 1:")
	return before
}
