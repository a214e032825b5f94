package propose

import (
	"slices"
	"strings"

	"cookoff/internal/pattern"
)

// ownPackage is the project itself among what pip installs, with its extras.
var ownPackage = pattern.New(` -e (?:\.|'\.\[([\w,-]+)\]')( |$)`)

// Earlier is a preparation that was proposed of the newest commit of a history, so that it fits the oldest as well, of
// which has and text tell: lists of requirements that only one of both has, and extras, of which pip leaves out those
// that a commit does not have. What runs the tests is then named by itself, where it is pytest.
func (p Preparation) Earlier(test string, has func(name string) bool, text func(name string) string) Preparation {
	make, install, ok := strings.Cut(p.Command, " && ")
	if p.Dir != environment || !ok || !strings.HasPrefix(install, byPip) || strings.HasPrefix(install, byUv) ||
		strings.ContainsAny(install, "{|$") {
		return p
	}
	changed, own := false, false
	var lists []string
	for _, name := range requirementLists {
		is := strings.Contains(install+" ", " -r "+name+" ")
		if changed = changed || is != has(name); is || has(name) {
			lists = append(lists, name)
			install = strings.TrimSuffix(strings.ReplaceAll(install+" ", " -r "+name+" ", " "), " ")
		}
	}
	install = ownPackage.ReplaceAllStringFunc(install+" ", func(s string) string {
		own = true
		var extras []string
		if m := ownPackage.FindStringSubmatch(s); m[1] != "" {
			extras = strings.Split(m[1], ",")
		}
		old := readPyproject(text("pyproject.toml")).extras()
		for _, e := range slices.Concat(extras, old) {
			changed = changed || !slices.Contains(extras, e) || !slices.Contains(old, e)
			if !slices.Contains(extras, e) {
				extras = append(extras, e)
			}
		}
		if len(extras) == 0 {
			return " -e . "
		}
		return " -e '.[" + strings.Join(extras, ",") + "]' "
	})
	if install = strings.TrimSpace(install); !changed || !own && len(lists) == 0 {
		return p
	}
	if len(lists) > 0 {
		head := ".venv/bin/pip install -q"
		install = head + " $(ls " + strings.Join(lists, " ") + " 2> /dev/null | sed 's/^/-r /')" +
			strings.TrimPrefix(install, head)
	}
	if strings.Contains(test, "pytest") && !slices.Contains(strings.Fields(install), "pytest") {
		install += " pytest"
	}
	p.Command = make + " && " + install
	return p
}
