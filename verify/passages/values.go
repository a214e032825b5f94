package passages

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
	"go.yaml.in/yaml/v3"
)

// maxValues bounds the values of one file that are compared.
const maxValues = 20_000

// Values are changes as those of lines, found in what a file of TOML or YAML says: each value by the keys that lead to
// it, however tables are written (dotted keys, inline, by an anchor or a merge), with the comments. Not ok: the file
// is of another kind, or one of both texts can't be read.
func Values(p string, was, is []byte) (list []Change, sections []string, ok bool) {
	old, ok := valuesOf(p, was)
	now, too := valuesOf(p, is)
	if !ok || !too {
		return nil, nil, false
	}
	list, sections = compare(old, now, true)
	return list, sections, true
}

// valuesOf gives the values of a text, and its comments, as lines.
func valuesOf(p string, text []byte) (list []line, ok bool) {
	v := &values{deep: true}
	switch strings.ToLower(path.Ext(p)) {
	case ".toml":
		var all map[string]any
		if toml.Unmarshal(text, &all) != nil {
			return nil, false
		}
		v.add("", "", all)
	case ".yaml", ".yml":
		v.deep = false
		for docs := yaml.NewDecoder(bytes.NewReader(text)); ; {
			var doc any
			err := docs.Decode(&doc)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return nil, false
			}
			v.add("", "", doc)
		}
	default:
		return nil, false
	}
	for _, l := range read(p, text) {
		if l.remark {
			v.list = append(v.list, l)
		}
	}
	return v.list, len(v.list) <= maxValues
}

// values collects what a document says.
type values struct {
	deep bool // each table is a section, not those at the top and right in these alone
	list []line
}

// add adds what lies at a path, within a section.
func (v *values) add(at, section string, value any) {
	if len(v.list) > maxValues {
		return
	}
	switch value := value.(type) {
	case map[string]any:
		v.addTable(at, section, value)
	case map[any]any:
		named := map[string]any{}
		for k, inner := range value {
			named[fmt.Sprint(k)] = inner
		}
		v.addTable(at, section, named)
	case []any:
		v.addList(at, section, value)
	case []map[string]any:
		var list []any
		for _, inner := range value {
			list = append(list, inner)
		}
		v.addList(at, section, list)
	case nil:
		v.addLine(at, section, at, "")
	case string:
		lines := strings.Split(strings.TrimRight(value, "\n"), "\n")
		for _, one := range lines {
			if len(lines) == 1 {
				v.addLine(at, section, at, one)
			} else if strings.TrimSpace(one) != "" {
				v.addLine(at, section, "", one)
			}
		}
	default:
		v.addLine(at, section, at, fmt.Sprint(value))
	}
}

// isTable reports whether a value is a table that holds something.
func isTable(value any) bool {
	switch value := value.(type) {
	case map[string]any:
		return len(value) > 0
	case map[any]any:
		return len(value) > 0
	}
	return false
}

func (v *values) addTable(at, section string, table map[string]any) {
	if len(table) == 0 {
		v.addLine(at, section, at, "")
	}
	for _, key := range slices.Sorted(maps.Keys(table)) {
		name := strings.ToLower(strings.Join(strings.Fields(key), "_"))
		inner, below := strings.TrimPrefix(at+"."+name, "."), section
		if v.deep {
			below = at
		} else if at == "" || !strings.ContainsAny(at, ".[") && isTable(table[key]) {
			below = inner
		}
		v.add(inner, below, table[key])
	}
}

func (v *values) addList(at, section string, list []any) {
	if len(list) == 0 {
		v.addLine(at, section, at, "")
	}
	for _, value := range list {
		before := len(v.list)
		v.add(at+"[]", section, value)
		for i := range v.list[before:] { // of several items none stands for another
			if l := &v.list[before+i]; l.key == at+"[]" {
				l.key = ""
			}
		}
	}
}

func (v *values) addLine(at, section, key, value string) {
	words := append([]string{at}, wordsOf(value)...)
	v.list = append(v.list, line{words: words, key: key, section: section, raw: at + " = " + value})
}
