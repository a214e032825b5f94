package propose

import (
	"maps"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"cookoff/internal/pattern"
	"cookoff/shell"
)

// groups are the names that projects give to what their tests need.
var groups = []string{"dev", "test", "tests", "testing"}

// pyproject is what pyproject.toml says of packages that tests need.
type pyproject struct {
	Project struct {
		Extras       map[string]any `toml:"optional-dependencies"`
		Dependencies []string
	}
	Build  struct{ Requires []string } `toml:"build-system"`
	Groups map[string][]any            `toml:"dependency-groups"`
	Tool   struct {
		UV struct {
			Sources   map[string]any
			Conflicts []any // extras and groups that can't be had together
		}
		Poetry struct {
			Group map[string]struct {
				Dependencies map[string]any
				Optional     bool
			}
			Dev    map[string]any `toml:"dev-dependencies"`
			Extras map[string]any
		}
	}
}

// elsewhere reports whether uv is told to take a package from anywhere else than an index: another directory of the
// project, a repository.
func (p pyproject) elsewhere() bool { return len(p.Tool.UV.Sources) > 0 }

// inExtras are the requirements of some extras.
func (p pyproject) inExtras(names []string) (out []string) {
	for _, name := range names {
		list, _ := p.Project.Extras[name].([]any) // what is none names nothing
		for _, one := range list {
			if s, is := one.(string); is {
				out = append(out, s)
			}
		}
	}
	return out
}

// packageOf reports whether a requirement is of the package of that name.
func packageOf(name string) func(requirement string) bool {
	return func(requirement string) bool {
		m := packageName.FindStringSubmatch(requirement)
		return m != nil && strings.EqualFold(m[1], name)
	}
}

var packageName = pattern.New(`^[\s'"]*([A-Za-z0-9][\w.-]*)`)

// readPyproject reads what it can; a file that is wrong says nothing.
func readPyproject(text string) (p pyproject) {
	if _, err := toml.Decode(text, &p); err != nil {
		return pyproject{}
	}
	return p
}

// extras are those of pip install '.[…]'.
func (p pyproject) extras() (out []string) {
	for _, g := range groups {
		_, has := p.Project.Extras[g]
		if _, poetry := p.Tool.Poetry.Extras[g]; has || poetry {
			out = append(out, g)
		}
	}
	return out
}

var requirement = pattern.New(`^[A-Za-z0-9][\w.-]*(\[[\w,. -]+\])?[\w.,<>=!~* ;'"()-]*$`)

// named are the packages that its groups name, quoted for a shell: pip reads none of
// them.
func (p pyproject) named() (out []string) {
	var list []string
	seen := map[string]bool{}
	for _, g := range groups {
		list = append(list, p.group(g, seen)...)
		list = append(list, slices.Sorted(maps.Keys(p.Tool.Poetry.Group[g].Dependencies))...)
	}
	list = append(list, slices.Sorted(maps.Keys(p.Tool.Poetry.Dev))...)
	return toPip(list)
}

// toPip are requirements as pip is told them, each once, quoted for a shell; what is none is left out.
func toPip(list []string) (out []string) {
	for _, one := range list {
		if q, err := shell.Quote([]string{one}); err == nil && requirement.MatchString(one) &&
			!slices.Contains(out, q) {
			out = append(out, q)
		}
	}
	return out
}

// group gives the packages of a group, and of those that it includes.
func (p pyproject) group(name string, seen map[string]bool) (out []string) {
	if seen[name] {
		return nil
	}
	seen[name] = true
	for _, item := range p.Groups[name] {
		switch item := item.(type) {
		case string:
			out = append(out, item)
		case map[string]any:
			if other, is := item["include-group"].(string); is {
				out = append(out, p.group(strings.ToLower(other), seen)...)
			}
		}
	}
	return out
}
