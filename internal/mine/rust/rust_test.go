package rust

import "testing"

// TestWithoutTests: a module of tests is taken out where it stands, whatever its texts and
// comments hold; what would mean something else elsewhere is left.
func TestWithoutTests(t *testing.T) {
	check := func(text, code string, names ...string) {
		t.Helper()
		p, ok := withoutTests(text)
		if !ok || p.code != code || len(p.mods) != len(names) {
			t.Errorf("%q: %v, %q, %q", text, ok, p.code, p.mods)
		}
		for _, n := range names {
			if _, is := p.mods[n]; !is {
				t.Errorf("%q has no module %s: %q", text, n, p.mods)
			}
		}
	}
	left := func(text string) {
		t.Helper()
		if p, ok := withoutTests(text); ok {
			t.Errorf("%q is taken apart: %q, %q", text, p.code, p.mods)
		}
	}
	check("fn a() {}\n", "fn a() {}\n")
	check("fn a() {}\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn b() {}\n}\nfn c() {}\n", "fn a() {}\nfn c() {}\n", "tests")
	check("#[cfg(test)]\r\n#[allow(x)]\r\nmod t { fn a() { '}'; \"}\\\"\"; r#\"}\"\"#; /* } /* */ } */ } }\r\n", "\r\n", "t")
	check("fn a<'a>(x: &'a str) -> &'a str { x }\n#[cfg(test)] pub(crate) mod t { // }\n }", "fn a<'a>(x: &'a str) -> &'a str { x }\n", "t")
	check("const A: &str = \"\n#[cfg(test)]\nmod t { #[test]\n\";", "const A: &str = \"\n#[cfg(test)]\nmod t { #[test]\n\";")
	check("#[cfg(test)]\nmod a {}\n#[cfg(test)]\nmod b {}\n", "", "a", "b")
	left("#[test]\nfn a() {}\n")
	left("  #[tokio::test]\n  async fn a() {}\n")
	left("#[cfg(test)]\nmod t { const A: &str = include_str!(\"x\"); }\n")
	left("#[cfg(test)]\nmod t {\n    mod u;\n}\n")
	left("#[cfg(test)]\nmod t {\n")
	left("/* \n")
}
