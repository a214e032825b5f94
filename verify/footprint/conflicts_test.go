package footprint

import "testing"

func TestUnmarked(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"a\n<<<<<<< HEAD\nb\n||||||| 1a2b3c\nc\n=======\nd\n>>>>>>> 4d5e6f (Two)\ne\n", "a\n\nb\n\nc\n\nd\n\ne\n"},
		{"<<<<<<< ours\r\nb\r\n=======\r\nd\r\n>>>>>>> theirs", "\nb\r\n\nd\r\n\n"},
		{"Heading\n=======\ntext\n", "Heading\n=======\ntext\n"},
		{"a <<<<<<< b\n>>>>>>>>>> c\n", "a <<<<<<< b\n>>>>>>>>>> c\n"},
	} {
		if got := string(unmarked([]byte(c.text))); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}
