package tree

import (
	"context"
	"path"
	"slices"
	"strings"

	"cookoff/internal/pattern"
	"cookoff/sandbox"
)

// maxSetting bounds a settings file of the start that is kept, in bytes.
const maxSetting = 1 << 20

// settingName is how files are called that say how a program behaves, where
// they lie in a directory of HOME whose name begins with a dot.
var settingName = pattern.New(
	`(?i)(rc|conf|config|settings|profile|init|startup|env|makevars)(\.[a-z]+)?$` +
		`|\.(conf|cfg|ini|toml|xml|json|ya?ml|properties|rc|el|gradle|pth)$`)

// versionPin is how files are called that say which version of a program is
// meant. They are what version managers are mended with.
var versionPin = pattern.New(`^\.([a-z]+-versions?|nvmrc|tool-versions|sdkmanrc)$`)

// ofProject are settings that the tools of checks take from where they run.
var ofProject = []string{".proverc", ".gdbinit", ".Rprofile", ".rspec", ".sqliterc", ".psqlrc", ".irbrc", ".pdbrc",
	".inputrc"}

// IsSetting reports whether a file of a manifest says how programs behave that
// a check may call.
func IsSetting(p string) bool {
	rest, home := strings.CutPrefix(p, "~/")
	name := path.Base(p)
	if !home {
		return slices.Contains(ofProject, name)
	}
	parts := strings.Split(rest, "/")
	switch {
	case !strings.HasPrefix(rest, "."), versionPin.MatchString(name):
		return false
	case len(parts) == 1, parts[0] == ".config", strings.HasSuffix(path.Dir(rest), ".d"):
		return true
	}
	return len(parts) <= 4 && settingName.MatchString(name)
}

// SettingsOf reads the settings files of the staged state.
func SettingsOf(ctx context.Context, sb sandbox.Sandbox, m sandbox.Manifest) (map[string]sandbox.Item, error) {
	var paths []string
	for _, f := range m {
		if IsSetting(f.Path) && !f.Mode.IsDir() && f.Size <= maxSetting {
			paths = append(paths, f.Path)
		}
	}
	return Read(ctx, sb, paths)
}
