package traps

import (
	"fmt"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"cookoff/sandbox"
)

// cargo is the settings of Rust's cargo and rustup.
type cargo struct{}

func (cargo) Reads(p string) bool {
	return matches([]string{"**/.cargo/config.toml", "**/.cargo/config"}, p)
}

// Settings gives the keys of a configuration of cargo, as table.key; All where it can not
// be read.
func (cargo) Settings(f sandbox.Item) map[string]string {
	var doc map[string]any
	if !regular(f) || toml.Unmarshal(f.Data, &doc) != nil {
		return Whole(f)
	}
	out := map[string]string{}
	flatten(out, "", doc)
	return out
}

// flatten writes nested tables as key.key.
func flatten(out map[string]string, prefix string, doc map[string]any) {
	for key, value := range doc {
		if inner, ok := value.(map[string]any); ok {
			flatten(out, prefix+key+".", inner)
			continue
		}
		out[prefix+key] = fmt.Sprint(value)
	}
}

// Runs says why a key makes cargo start something; "": it does not.
func (cargo) Runs(name, _ string) string {
	parts := strings.Split(name, ".")
	last := parts[len(parts)-1]
	switch {
	case name == All:
		return "cargo obeys it"
	case slices.Contains([]string{"rustc", "rustdoc", "rustc-wrapper", "rustc-workspace-wrapper", "linker", "runner",
		"rustflags", "credential-provider", "credential-process", "include"}, last):
		return "cargo starts or hands on what it names"
	case parts[0] == "alias" || parts[0] == "env" || parts[0] == "source":
		return "cargo obeys it in every command"
	}
	return ""
}

// rustup is what chooses the tool chain of Rust.
type rustup struct{}

func (rustup) Reads(p string) bool {
	return matches([]string{"**/rust-toolchain.toml", "**/rust-toolchain", "~/.rustup/settings.toml"}, p)
}

// Settings gives the keys of a file, as table.key. One that holds nothing but a name says which channel.
func (rustup) Settings(f sandbox.Item) map[string]string {
	if words := strings.Fields(string(f.Data)); regular(f) && len(words) == 1 && !strings.ContainsAny(words[0], "=[]") {
		return map[string]string{"toolchain.channel": words[0]}
	}
	return cargo{}.Settings(f)
}

// Runs says why a key makes rustup start another program; "": it does not.
func (rustup) Runs(name, _ string) string {
	switch {
	case name == All:
		return "rustup obeys it"
	case name == "toolchain.path", name == "default_toolchain", strings.HasPrefix(name, "overrides."):
		return "cargo and rustc are started from there"
	}
	return ""
}
