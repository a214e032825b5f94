package partly

import (
	"strings"
	"testing"
)

// TestGo: tests that name what is not there are left out, with what they alone need; the others keep their lines.
func TestGo(t *testing.T) {
	const a = "package a\n\nimport (\n\t\"errors\"\n\tx \"os\"\n\t\"testing\"\n\n\t\"gopkg.in/yaml.v3\"\n)\n\n" +
		"func TestOld(t *testing.T) {\n\tyaml.Marshal(Old(nil))\n}\n\n" +
		"// TestNew is.\nfunc TestNew(t *testing.T) {\n\tx.Exit(errors.New(New(\"é\")))\n}\n\nvar both = []any{Both{}}\n"
	const b = "package a\n\nimport \"testing\"\n\nfunc TestBoth(t *testing.T) { _ = both }\n"
	const c = "package a\n\nfunc helper() {}\n"
	got := Go(map[string]string{"a_test.go": a, "b_test.go": b, "c_test.go": c, "d_test.go": "no source New"},
		[]string{"New", "Both"})
	want := map[string]string{
		"a_test.go": "package a\n\nimport (\n\t_ \"errors\"\n\t_ \"os\"\n\t\"testing\"\n\n\t\"gopkg.in/yaml.v3\"\n)\n\n" +
			"func TestOld(t *testing.T) {\n\tyaml.Marshal(Old(nil))\n}\n\n\n\n\n\n\n\n",
		"b_test.go": "package a\n\nimport _ \"testing\"\n\n\n",
	}
	if len(got) != len(want) {
		t.Errorf("%d files", len(got))
	}
	for p, w := range want {
		lines := strings.Split(got[p], "\n")
		for i, l := range lines {
			lines[i] = strings.TrimRight(l, " ")
		}
		if plain := strings.Join(lines, "\n"); plain != w {
			t.Errorf("%s:\n%q\nwant\n%q", p, plain, w)
		}
	}
}
