package recipe

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"cookoff/recipe/dialect"
	"cookoff/recipe/problem"
	"cookoff/recipe/source"
)

// fromCode is the source of what no file says.
const fromCode = "code"

// Over gives a recipe that is r laid over base; neither is changed. A section
// that r declares replaces that of base as a whole, one it does not is
// inherited. An r built in code (SectionsPresent == nil) is laid over field by
// field, its non-zero values winning.
func (r *Recipe) Over(base *Recipe) *Recipe {
	out := *base
	out.origins = maps.Clone(base.origins)
	out.sections, out.beside = maps.Clone(base.sections), maps.Clone(base.beside)
	out.SectionsPresent = maps.Clone(base.SectionsPresent)
	if out.origins == nil {
		out.origins = map[string]*source.Places{}
	}
	if out.sections == nil {
		out.sections = map[string]string{}
	}
	if out.beside == nil {
		out.beside = map[string]string{}
	}
	if r.SectionsPresent == nil {
		overFields(&out, r)
		return &out
	}
	if out.SectionsPresent == nil {
		out.SectionsPresent = map[string]bool{}
	}
	out.Version, out.Name, out.source, out.beside[""] = r.Version, r.Name, r.source, r.beside[""]
	out.origins["version"], out.origins["name"] = r.origins["version"], r.origins["name"]
	out.dropped = append(slices.Clone(base.dropped), r.dropped...)
	for name, fields := range sectionFields(&out, r) {
		if !r.SectionsPresent[name] {
			continue
		}
		noteDropped(&out, name, base, r)
		for _, f := range fields {
			f.to.Set(f.from)
		}
		out.SectionsPresent[name] = true
		out.sections[name], out.beside[name] = r.SectionSource(name), r.SectionPath(name)
		out.origins[dialect.SectionKey(name)] = r.origins[dialect.SectionKey(name)]
	}
	if r.Constraints.AllowClasses == nil { // a permission, not lost by a limit
		out.Constraints.AllowClasses = base.Constraints.AllowClasses
	}
	if !r.SectionsPresent["metadata"] {
		ownMetadata(&out)
	}
	out.files, out.paths = appendNew(base.files, r.files), appendNew(base.paths, r.paths)
	return &out
}

// noteDropped notes the settings and blocks of a section of base that own, which
// declares it too, does not have. An empty section drops all, and says so.
func noteDropped(r *Recipe, section string, base, own *Recipe) {
	whole := []string{"models", "contestants", "system prompt", "tools", "tool guidance",
		"context summarization prompt", "tasks", "metadata"}
	if slices.Contains(whole, section) || !base.SectionsPresent[section] || base.sections[section] == FromDefaults {
		return
	}
	kept := partsOf(own, section)
	lost := slices.DeleteFunc(partsOf(base, section), func(part string) bool {
		return slices.Contains(kept, part) || section == "constraints" && part == "allow_classes"
	})
	if len(kept) > 0 && len(lost) > 0 {
		r.dropped = append(r.dropped, problem.Problem{Pos: own.At(dialect.SectionKey(section)), Warning: true,
			Hint: "a section replaces the one below as a whole: repeat in it what is to stay",
			Msg: fmt.Sprintf("this section drops what %s has in it: %s", base.SectionSource(section),
				strings.Join(lost, ", "))})
	}
}

// partsOf names what a section has: its keys, its blocks by name, or the items of
// its list as they are.
func partsOf(r *Recipe, section string) (out []string) {
	key := dialect.SectionKey(section)
	item := ""
	for _, v := range r.Values() {
		if source.FirstKey(v.Key) != key {
			continue
		}
		rest := v.Key[len(key):]
		in, field, _ := strings.Cut(rest, "]")
		switch name := source.FirstKey(strings.TrimPrefix(rest, ".")); {
		case strings.HasPrefix(rest, "."):
			if !slices.Contains(out, name) {
				out = append(out, name)
			}
		case in != item:
			item, out = in, append(out, source.FirstLine(v.Text, 40))
		case section == "success criteria":
			out[len(out)-1] += ": " + source.FirstLine(v.Text, 40)
		case field == ".name":
			out[len(out)-1] = v.Text
		}
	}
	return out
}

// ownMetadata takes away what the metadata of a layer below say of that file
// alone: its labels, what it extends, and that its author gives it away. Only
// the project root is inherited.
func ownMetadata(r *Recipe) {
	root := r.Metadata.ProjectRoot
	r.Metadata = MetadataConfig{ProjectRoot: root}
	r.origins["metadata"] = r.origins["metadata"].Only("metadata", "metadata.project_root")
	if root == "" {
		delete(r.SectionsPresent, "metadata")
		delete(r.sections, "metadata")
		delete(r.origins, "metadata")
	}
}

func appendNew(base, more []string) []string {
	seen, out := map[string]bool{}, []string{}
	for _, list := range [][]string{base, more} {
		for _, f := range list {
			if !seen[f] {
				seen[f] = true
				out = append(out, f)
			}
		}
	}
	return out
}

// fieldPair is one field of a recipe in two recipes.
type fieldPair struct{ to, from reflect.Value }

// fieldSections says to which section every field belongs.
func fieldSections() map[string]string {
	return map[string]string{
		"Models": "models", "Contestants": "contestants", "SystemPrompt": "system prompt", "Tools": "tools",
		"ToolDescriptions": "tool descriptions",
		"ToolGuidance":     "tool guidance", "MCPServers": "mcp servers", "ModelParams": "model parameters",
		"Constraints": "constraints",
		"Context":     "context", "SummarizationPrompt": "context summarization prompt", "SubAgent": "sub-agent",
		"SubAgentModes": "sub-agent modes",
		"Sandbox":       "sandbox", "SystemReminders": "system reminders", "Hooks": "hooks",
		"OutputProcessing": "output processing",
		"ModelProfiles":    "model profiles", "Tasks": "tasks", "SuccessCriteria": "success criteria",
		"Verify": "verify", "Comparison": "comparison", "Metadata": "metadata",
	}
}

// sectionFields pairs the fields of two recipes by section.
func sectionFields(to, from *Recipe) map[string][]fieldPair {
	pairs := map[string][]fieldPair{}
	vto, vfrom := reflect.ValueOf(to).Elem(), reflect.ValueOf(from).Elem()
	for field, section := range fieldSections() {
		pairs[section] = append(pairs[section], fieldPair{vto.FieldByName(field), vfrom.FieldByName(field)})
	}
	return pairs
}

// overFields lays a recipe built in code over out.
func overFields(out, r *Recipe) {
	if r.Version != 0 {
		out.Version = r.Version
	}
	if r.Name != "" {
		out.Name = r.Name
	}
	for name, fields := range sectionFields(out, r) {
		for _, f := range fields {
			if !overValue(f.to, f.from) {
				continue
			}
			if out.SectionsPresent != nil {
				out.SectionsPresent[name] = true
			}
			out.sections[name], out.beside[name] = fromCode, ""
		}
	}
}

// overValue sets what is not zero in from, and tells whether anything was.
func overValue(to, from reflect.Value) bool {
	if c, ok := from.Interface().(SubAgentConfig); ok && c.MaxDepth < 0 {
		c.MaxDepth = 0 // not set: zero values don't win
		from = reflect.ValueOf(c)
	}
	if from.Kind() != reflect.Struct {
		if from.IsZero() {
			return false
		}
		to.Set(from)
		return true
	}
	any := false
	for i := range from.NumField() {
		any = overValue(to.Field(i), from.Field(i)) || any
	}
	return any
}
