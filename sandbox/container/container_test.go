package container

import "testing"

func TestBindMount(t *testing.T) {
	for want, at := range map[string][2]string{
		"type=bind,source=/a b:c,destination=/x,readonly":     {"/a b:c", "/x"},
		`type=bind,"source=/a,""b""",destination=/x,readonly`: {`/a,"b"`, "/x"},
	} {
		if got := bindMount(at[0], at[1], true); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
