package lines

import (
	"slices"
	"strings"
	"testing"
)

// TestDemanded: texts that tests ask for and only a fix has are found in any quotes, whole or in part;
// data that both have by nature are none.
func TestDemanded(t *testing.T) {
	for _, c := range []struct{ lang, fix, test, want string }{
		{"python", `raise ValueError("no values given")`, `with self.assertRaisesRegex(ValueError, "no values given"):`, "no values given"},
		{"python", `raise ValueError("no values given")`, `with pytest.raises(ValueError, match="no values"):`, "no values"},
		{"python", `raise ValueError(f"window of {n} days")`, `match="window of 3 days"`, "window of|days"},
		{"python", `raise ValueError("negative: %d" % n)`, `assert str(e.value) == "negative: -3"`, "negative"},
		{"javascript", "throw new TypeError(`cannot pad ${s}`);", `assert.throws(() => pad(1), /cannot pad/);`, "cannot pad"},
		{"javascript", `callback(new Error('it\'s closed'))`, `assert.equal(err.message, "it's closed")`, "it's closed"},
		{"go", `return fmt.Errorf("line %d: unclosed quote", n)`, `if err.Error() != "line 3: unclosed quote" {`, "line|unclosed quote"},
		{"rust", `Err(format!("empty span at {}", at))`, `assert_eq!(e, "empty span at 3");`, "empty span at"},
		{"javascript", `flag('--dry-run')`, `run(['--dry-run'])`, "--dry-run"},
		{"python", `create table counts (word text);`, `assert "word text" in text`, "word text"},
		{"python", `open(p, encoding="utf-8")  # "no values given"`, `p.read_text(encoding="utf-8") # no values given`, ""},
		{"go", `x := "abc"; y := 'n'`, `want: "abc"`, ""},
		{"go", `return errors.New("nothing that a test asks for")`, `if err == nil {`, ""},
	} {
		texts := Literals(c.lang, c.fix)
		if strings.HasPrefix(c.fix, "create ") {
			texts = []string{c.fix}
		}
		got := strings.Join(Demanded(texts, c.lang, c.test), "|")
		if got != c.want {
			t.Errorf("%s, %s: %q, want %q", c.fix, c.test, got, c.want)
		}
	}
}

func TestTold(t *testing.T) {
	for prompt, want := range map[string]bool{"E  AssertionError: 'x' != 'no values\n given'": true, "no value": false,
		`got "", want \"no values given\"`: true} {
		if Told(prompt, "no values given") != want {
			t.Errorf("%q: %v", prompt, !want)
		}
	}
}

// TestOptions: an option is what a test gives and the fix takes; a variable is none.
func TestOptions(t *testing.T) {
	for _, c := range []struct {
		fix, test string
		want      []string
	}{
		{"if (options.lenient) {", "parse('x', { lenient: true })", []string{"lenient"}},
		{"kwargs.get('lenient')", "parse('x', lenient=True)", []string{"lenient"}},
		{"kwargs.get('lenient')", "parse(\n    'x',\n    lenient=True,\n)", []string{"lenient"}},
		{"self.lenient = 1", "    lenient = parse('x')", nil},
		{"lenient = 3", "parse(lenient=True)", nil},
		{"match.value", "f({ value: 3 })", nil},
	} {
		if got := Options(c.fix, c.test); !slices.Equal(got, c.want) {
			t.Errorf("%s, %s: %q, want %q", c.fix, c.test, got, c.want)
		}
	}
}

func TestNative(t *testing.T) {
	for text, want := range map[string]bool{"__proto__": true, "constructor": true, "__all__": true, "strictDepth": false,
		"__proto__ is refused": false, "proto": false} {
		if got := Native(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
