package propose

import "cookoff/internal/pattern"

var requires = pattern.New(`(?m)^\s*require\b`)

// Prepare gives the command that gets what the project in dir needs, by its lockfile;
// "": nothing says.
func Prepare(dir string) string {
	p := project{dir}
	switch {
	case requires.MatchString(p.text("go.mod")) && p.first("vendor/modules.txt") == "":
		return "go mod download"
	case p.first("package-lock.json", "npm-shrinkwrap.json") != "":
		return "npm ci"
	case p.first("uv.lock") != "":
		return "uv sync --frozen"
	case p.first("Cargo.lock") != "":
		return "cargo fetch --locked"
	}
	return ""
}
