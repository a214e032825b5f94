package traps

import (
	"strings"

	"cookoff/internal/pattern"
	"cookoff/sandbox"
)

// loaders are settings of tools that run and look at code, of which some name code that the
// tool loads whenever it starts.
type loaders struct{}

func (loaders) Reads(p string) bool {
	return matches([]string{"**/.mocharc.{json,jsonc,yml,yaml}", "**/.nycrc", "**/.nycrc.{json,yml,yaml}",
		"**/.c8rc", "**/.c8rc.{json,yml,yaml}", "**/.taprc", "**/.babelrc", "**/{.babelrc,babel.config}.json", "**/.swcrc",
		"**/bunfig.toml", "**/{.pylintrc,pylintrc,.pylintrc.toml}", "**/{mypy.ini,.mypy.ini}", "**/.coveragerc"}, p)
}

// loaded is a setting that names such code, and what stands in its line behind it.
var loaded = pattern.New(`(?m)(^|[{,\s"'])(require|import|loader|node-option|init-hook|load-plugins|plugins?|` +
	`presets|preload|before|wasmPlugins)["']?[ \t]*[:=][^\n]*`)

// Settings gives those that name code one by one, and all the others as one.
func (loaders) Settings(f sandbox.Item) map[string]string {
	if !regular(f) {
		return Whole(f)
	}
	out := map[string]string{}
	all := text(f)
	for _, m := range loaded.FindAllStringSubmatch(all, -1) {
		out[m[2]] += m[0] + "\n"
	}
	if others := strings.TrimSpace(loaded.ReplaceAllString(all, "$1")); others != "" {
		out[rest] = others
	}
	return out
}

func (loaders) Runs(name, _ string) string {
	if name == rest {
		return ""
	}
	return "a tool loads what it names whenever it starts"
}
