package alike

import "testing"

func TestTidied(t *testing.T) {
	const module = "module m\n\ngo 1.22\n\nrequire (\n\ta.b/c v1.2.0\n\td.e/f v0.1.0 // indirect\n)\n"
	const was = "a.b/c v1.1.0/go.mod h1:o=\na.b/c v1.2.0 h1:x=\na.b/c v1.2.0/go.mod h1:y=\ng.h/i v1.0.0 h1:z=\n"
	for is, want := range map[string]bool{
		"a.b/c v1.2.0 h1:x=\na.b/c v1.2.0/go.mod h1:y=\n":                       true,
		"a.b/c v1.2.0 h1:x=\na.b/c v1.2.0/go.mod h1:y=\nd.e/f v0.1.0 h1:n=\n":   true,
		"a.b/c v1.2.0/go.mod h1:y=\n":                                           false,
		"a.b/c v1.2.0 h1:other=\na.b/c v1.2.0/go.mod h1:y=\ng.h/i v1.0.0 h1:z=": false,
		"": false,
	} {
		if got := Tidied([]byte(was), []byte(is), []byte(module)); got != want {
			t.Errorf("%q: %v", is, got)
		}
	}
	if Tidied([]byte(was), nil, nil) {
		t.Error("nobody knows what is required")
	}
}

func TestDepends(t *testing.T) {
	const was = "module example.com/shop\n\ngo 1.21\n\nrequire example.com/assert v1.0.0\n"
	for more, want := range map[string]bool{
		"require example.com/fifo v0.0.0\nreplace example.com/fifo => ./third/fifo\n": true,
		"require (\n\texample.com/fifo v0.0.0 // indirect\n)\n":                       true,
		"": true,
		"replace example.com/assert => ./third/assert\n": false,
		"require example.com/assert/sub v0.0.0\n":        false,
		"require example.com/shop/limit v0.0.0\n":        false,
		"require example.com v0.0.0\n":                   false,
		"toolchain go1.30.0\n":                           false,
		"exclude example.com/fifo v0.0.0\n":              false,
		"godebug default=go1.20\n":                       false,
	} {
		if got := Depends("go.mod", []byte(was), []byte(was+more)); got != want {
			t.Errorf("%q: %v", more, got)
		}
	}
	if Depends("go.mod", []byte(was), []byte("module example.com/shop\n\ngo 1.21\nrequire example.com/fifo v0.0.0\n")) {
		t.Error("a directive is gone")
	}
}
