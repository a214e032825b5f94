package verifycmd

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"cookoff/recipe"
	"cookoff/verify"
)

// loaded are the blocks of a file, and what there is to say about it.
type loaded struct {
	blocks   []recipe.VerifyBlock
	notes    []string
	warnings []string
}

// load reads [verify] or [[verify]] from TOML, or the keys of one block alone.
// Other tables are somebody else's: they are named in a note.
func load(name string, text []byte) (*loaded, error) {
	var tree map[string]toml.Primitive
	md, err := toml.Decode(string(text), &tree)
	if err != nil {
		var at toml.ParseError
		if errors.As(err, &at) {
			return nil, fmt.Errorf("parsing %s:%d:%d: %s", name, at.Position.Line, at.Position.Col, strings.TrimPrefix(at.Message, "toml: "))
		}
		return nil, fmt.Errorf("parsing %s: %w", name, err)
	}
	out := &loaded{}
	p, has := tree["verify"]
	switch {
	case has && strings.HasPrefix(md.Type("verify"), "Array"): // of tables: ArrayHash
		err = md.PrimitiveDecode(p, &out.blocks)
	case has:
		out.blocks = make([]recipe.VerifyBlock, 1)
		err = md.PrimitiveDecode(p, &out.blocks[0])
	case md.IsDefined("command"):
		var b recipe.VerifyBlock
		if _, err = toml.Decode(string(text), &b); err == nil {
			out.blocks = []recipe.VerifyBlock{b}
			return out, unknown(name, md.Keys(), 0)
		}
	default:
		return nil, fmt.Errorf("%s has no [verify]\nhint: a block starts with [verify], or [[verify]] for several", name)
	}
	if err != nil {
		return nil, fmt.Errorf("parsing %s: %w", name, err)
	}
	var others []string
	for _, k := range md.Keys() {
		if k[0] != "verify" && !slices.Contains(others, k[0]) {
			others = append(others, k[0])
		}
	}
	if others != nil {
		out.notes = append(out.notes, fmt.Sprintf("not read: %s", strings.Join(others, ", ")))
	}
	return out, unknown(name, md.Undecoded(), 1)
}

// unknown refuses keys of a block that are none, depth tables down.
func unknown(name string, keys []toml.Key, depth int) error {
	block, extra := tags(recipe.VerifyBlock{}), tags(recipe.VerifyExtra{})
	var errs []error
	for _, k := range keys {
		if depth == 1 && k[0] != "verify" || len(k) == depth {
			continue
		}
		allowed := block
		if len(k) > depth+1 && k[depth] == "additional" {
			allowed = extra
		} else if len(k) > depth+1 {
			continue // below a key that is reported itself
		}
		if last := k[len(k)-1]; !slices.Contains(allowed, last) {
			hint := "allowed: " + strings.Join(allowed, ", ")
			if near := recipe.Nearest(last, allowed); near != "" {
				hint = fmt.Sprintf("did you mean %q? %s", near, hint)
			}
			errs = append(errs, fmt.Errorf("%s: unknown key %q\nhint: %s", name, k.String(), hint))
		}
	}
	return errors.Join(errs...)
}

// tags are the TOML keys of a struct.
func tags(v any) []string {
	var keys []string
	t := reflect.TypeOf(v)
	for i := range t.NumField() {
		keys = append(keys, t.Field(i).Tag.Get("toml"))
	}
	return keys
}

// asked gives the version on the command line to every block that has none.
func (l *loaded) asked(version string) {
	for i, b := range l.blocks {
		if version != "" && b.Version == "" && b.VersionCommand == "" && (b.Mode == "" || b.Mode == "version") {
			l.blocks[i].Version = version
		}
	}
}

// likeTsuku makes of each block what the system it was written for would do:
// it falls back to the raw version and lets weak blocks pass. Every such step
// is a warning.
func (l *loaded) likeTsuku() {
	for i := range l.blocks {
		b := &l.blocks[i]
		warn := func(format string, args ...any) {
			l.warnings = append(l.warnings, fmt.Sprintf("verify[%d]: ", i)+fmt.Sprintf(format, args...))
		}
		pats := strings.Join(append([]string{b.Pattern}, b.Patterns...), "")
		if (b.Mode == "" || b.Mode == "version") && !strings.Contains(pats, "{version}") {
			b.Mode, b.Version = "output", ""
			warn("no {version} in the pattern: the version is not checked")
		}
		if b.Mode == "output" && pats == "" {
			b.Mode = "functional"
			warn("no pattern: only the exit status is checked")
		}
		if b.Reason == "" && (b.Mode == "output" || b.Mode == "functional") {
			b.Reason = "none given"
		}
		if b.Version == "" {
			continue
		}
		if _, err := verify.Transform(b.VersionFormat, b.Version); err != nil {
			warn("%v: the whole version is used", err)
			b.VersionFormat = "raw"
		}
	}
}
