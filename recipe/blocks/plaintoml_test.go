package blocks

import (
	"testing"
	"unicode/utf8"

	"github.com/BurntSushi/toml"
	"github.com/google/go-cmp/cmp"
)

// FuzzPlainTOML: what is read without the decoder is what the decoder reads.
func FuzzPlainTOML(f *testing.F) {
	for _, s := range []string{"command = \"a b\"\npattern='{version}' # c\n\n# d\nexit_code = 3\nlive=true\n",
		"a = \"\"\"\nb\"\"\"", "a = ''\na = 1", "a = 01", "a = 9223372036854775808",
		"a.b = 1", "a = \"\\n\"", "a = 1 b", "a = 1e3", "a = 1979-05-27", "[a]\nb = 1", "a = \"\" \"\"", "\ufeffa = 1",
		"a = \"\u2028\"", "a = 1#", "true = true", "[verify]\na = 1\n", "[verify]\n[verify]\n",
		"[[verify]]\na = 1\n[[verify]]\na = 1\n", "[[verify]]\n[verify]", "[verify]\n[[verify]]",
		"[verify]\na = 1\n[[verify]]", "a = 1\n[verify]", "1 = 1", "-=1", "a\r\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, doc string) {
		got, ok := plainTOML(doc)
		if !ok || !utf8.ValidString(doc) {
			return
		}
		want := map[string]any{}
		if _, err := toml.Decode(doc, &want); err != nil {
			t.Fatalf("%q: the decoder refuses it: %v", doc, err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("%q: %s", doc, d)
		}
	})
}
