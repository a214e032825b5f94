package declared

import "testing"

// TestBrokenGo: a source that ends anywhere, as one half merged, is read as far as it goes.
func TestBrokenGo(t *testing.T) {
	const text = "package p\n\n// Pair has two.\ntype Pair[K comparable, V any] struct {\n\tKey K // key\n\tValue V\n}\n\n" +
		"var A, B int = 1, 2\n\nfunc (p *Pair[K, V]) Swap(a, b int, rest ...func(x K) V) (n int, err error) {\n\treturn\n}\n\n" +
		"type Doer interface {\n\tDo()\n}\n"
	for i := range len(text) {
		inGo("p.go", text[:i])
	}
	want := "func (p *Pair[K, V]) Swap(a, b int, rest ...func(x K) V) (n int, err error)"
	found := false
	for _, d := range inGo("p.go", text) {
		found = found || d.Text == want
	}
	if !found {
		t.Errorf("no %q in %+v", want, inGo("p.go", text))
	}
}
