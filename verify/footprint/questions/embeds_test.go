package questions

import (
	"testing"

	"cookoff/sandbox"
)

// TestEmbedsTests: who has its tests in itself, or names what they want, knows them.
func TestEmbedsTests(t *testing.T) {
	m := sandbox.Manifest{{Path: "cart/cart.go"}, {Path: "cart/cart_test.go"}, {Path: "cart/testdata/a.json"},
		{Path: "cart/web/index.html"}, {Path: "test/lists/two.want"}, {Path: "web/app_test.go"}}
	for lines, want := range map[string]bool{
		"//go:embed *.go\nvar s embed.FS\n":         true,
		"//go:embed *\nvar s embed.FS\n":            true,
		"//go:embed web/*.html testdata\n":          true,
		"//go:embed \"cart_test.go\"\n":             true,
		"//go:embed web\nvar s embed.FS\n":          false,
		"//go:embed all:web/*\n":                    false,
		"// go:embed *\n":                           false,
		"__asm__(\".incbin \\\"tests/x.c\\\"\\n\")": true,
		"const S: &str = include_str!(\"a.txt\");":  false,
		"let s = include_str!(\"../tests/a.rs\");":  true,
	} {
		if got := EmbedsTests("cart/cart.go", lines, m); got != want {
			t.Errorf("%q: %v", lines, got)
		}
	}
	for lines, want := range map[string]bool{
		`cat "${1%.txt}.want"`:          true,
		`p.with_suffix(".want")`:        true,
		`err.wanted, e.want = a.want()`: false,
		`cp "$1.expected" out`:          false,
		`open(name + '.golden')`:        false,
	} {
		if got := ReadsWanted(lines, m); got != want {
			t.Errorf("%q: %v", lines, got)
		}
	}
}

// TestCallerDecides: a program that compares the name of who called it.
func TestCallerDecides(t *testing.T) {
	for lines, want := range map[string]bool{
		"name = sys._getframe(1).f_globals['__name__']\nreturn 1 if name.startswith('shop') else 2\n": true,
		"name = sys._getframe(1).f_globals['__name__']\nreturn logging.getLogger(name)\n":             false,
		"who := runtime.FuncForPC(pc).Name()\nif strings.HasSuffix(who, \"x\") {\n":                   true,
		"who := runtime.FuncForPC(pc).Name()\nlog.Printf(\"%s\", who)\n":                              false,
		"f = inspect.currentframe().f_back.f_code.co_filename\nif f in known:\n":                      true,
		"module = sys._getframe(1).f_globals.get('__name__', '__main__')\ncls.__module__ = module\n":  false,
	} {
		if got := callerDecides(lines); got != want {
			t.Errorf("%q: %v", lines, got)
		}
	}
}
