package recipe

import "testing"

// White space of every kind in an info string is no second word: none makes a fence
// without a role one of the fixture.
func TestSpacesInAnInfoString(t *testing.T) {
	for _, info := range []string{"x\x0b ", " \x0c x", "x \x0b", "x\u00a0 ", "x \u0085", "\u2003 x", "x\t\x0b"} {
		r, err := ParseContent([]byte("# T\n\nversion: 1\n\n## Tasks\n\n### A\n\nfix it\n\n```" + info +
			"\nfoo\n```\n"))
		if err != nil || len(r.Tasks) != 1 {
			t.Errorf("%q: %v", info, err)
		}
	}
	if _, err := ParseContent([]byte("# T\n\nversion: 1\n\n## Tasks\n\n### A\n\nfix it\n\n```sh\u00a0setup\n" +
		"foo\n```\n")); err != nil {
		t.Errorf("a space that does not break is one: %v", err)
	}
}
