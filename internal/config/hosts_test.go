package config

import (
	"strings"
	"testing"
)

// TestCommandOfHost: a command that is no list is refused by its name, with what is wanted.
func TestCommandOfHost(t *testing.T) {
	for value, ok := range map[string]bool{`["ssh", "x"]`: true, `"ssh x"`: false, `["ssh", 1]`: false, `3`: false} {
		f, problems := decode("cookoff.toml", []byte("[hosts.z]\ncommand = "+value+"\n"), file{})
		if ok != (len(problems) == 0) || ok && strings.Join(f.Hosts["z"].Command, " ") != "ssh x" {
			t.Errorf("%s: %q, %v", value, f.Hosts["z"].Command, problems)
		}
		if !ok && (!strings.Contains(problems[0].Msg, "command is") || problems[0].Pos.Line != 2) {
			t.Errorf("%s: %+v", value, problems)
		}
	}
}
