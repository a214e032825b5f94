package prepare

import (
	"encoding/xml"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"cookoff/internal/pattern"
)

// artifact is what a pom names, in any version.
type artifact struct{ group, name string }

// mavenOwn are groups of which Maven takes what no pom names: its plugins, and those that run tests.
var mavenOwn = []string{"org.apache.maven.plugins", "org.apache.maven.surefire"}

// mavenArtifacts copies out of Maven's local repository the artifacts that the project's poms name, those
// that their poms name in turn, and Maven's own plugins: in all versions that there are, since which one is
// taken only Maven knows. They are believed by their names, as Maven believes them.
func (c Caches) mavenArtifacts(project string, locks []string, to string) (some bool, err error) {
	if c.Maven == "" {
		return false, nil
	}
	m := mavenCopy{from: c.Maven, to: to, seen: map[artifact]bool{}}
	for _, l := range locks {
		if filepath.Base(l) != "pom.xml" {
			continue
		}
		if err := m.pom(filepath.Join(project, l)); err != nil {
			return false, err
		}
	}
	if len(m.next) == 0 {
		return false, nil
	}
	for _, group := range mavenOwn {
		list, _ := os.ReadDir(filepath.Join(c.Maven, groupDir(group))) // none: the network has them
		for _, e := range list {
			m.name(artifact{group, e.Name()})
		}
	}
	for len(m.next) > 0 {
		a := m.next[0]
		m.next = m.next[1:]
		if err := m.take(a); err != nil {
			return false, err
		}
	}
	return m.some, nil
}

func groupDir(group string) string { return filepath.Join(strings.Split(group, ".")...) }

// mavenCopy goes from pom to pom.
type mavenCopy struct {
	from, to string
	seen     map[artifact]bool
	next     []artifact
	some     bool
}

var mavenName = pattern.New(`^[A-Za-z0-9_][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*$`)

func (m *mavenCopy) name(a artifact) {
	if mavenName.MatchString(a.group) && mavenName.MatchString(a.name) && !m.seen[a] {
		m.seen[a] = true
		m.next = append(m.next, a)
	}
}

// take copies all versions of an artifact.
func (m *mavenCopy) take(a artifact) error {
	dir := filepath.Join(groupDir(a.group), a.name)
	versions, err := os.ReadDir(filepath.Join(m.from, dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, v := range versions {
		if !v.IsDir() {
			continue
		}
		files, err := os.ReadDir(filepath.Join(m.from, dir, v.Name()))
		if err != nil {
			return err
		}
		for _, f := range files {
			if err := m.file(filepath.Join(dir, v.Name(), f.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// file copies one, and what a pom names is next. Notes of where a file came from are left: Maven would not
// take it without asking there.
func (m *mavenCopy) file(rel string) error {
	name := filepath.Base(rel)
	if strings.HasPrefix(name, "_") || strings.HasSuffix(name, ".lastUpdated") ||
		strings.HasPrefix(name, "resolver-status") {
		return nil
	}
	err := copyInto(filepath.Join(m.from, rel), filepath.Join(m.to, rel))
	if errors.Is(err, fs.ErrNotExist) {
		return nil // a link or a directory
	}
	if err != nil || !strings.HasSuffix(name, ".pom") {
		m.some = m.some || err == nil && strings.HasSuffix(name, ".jar")
		return err
	}
	return m.pom(filepath.Join(m.to, rel))
}

// pom notes the artifacts that a pom names anywhere. One that can't be read names those before the fault.
func (m *mavenCopy) pom(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	var p pomReader
	p.read(xml.NewDecoder(io.LimitReader(f, 16<<20)))
	for _, a := range p.named {
		m.name(artifact{p.value(a.group), p.value(a.name)})
	}
	return nil
}

// pomReader finds artifacts and properties of a pom.
type pomReader struct {
	named      []artifact
	properties [][2]string
}

// level is an element that is open.
type level struct {
	name, text string
	group, id  string
}

func (p *pomReader) read(d *xml.Decoder) {
	d.Strict = false
	open := []level{{}}
	for {
		t, err := d.Token()
		if err != nil {
			return
		}
		switch t := t.(type) {
		case xml.StartElement:
			open = append(open, level{name: t.Name.Local})
		case xml.CharData:
			open[len(open)-1].text += string(t)
		case xml.EndElement:
			if len(open) < 2 {
				return
			}
			one := open[len(open)-1]
			open = open[:len(open)-1]
			p.ended(one, &open[len(open)-1])
		}
	}
}

// ended has an element say what it is to the one that it stands in.
func (p *pomReader) ended(one level, in *level) {
	text := strings.TrimSpace(one.text)
	switch {
	case one.name == "groupId":
		in.group = text
	case one.name == "artifactId":
		in.id = text
	case in.name == "properties":
		p.properties = append(p.properties, [2]string{one.name, text})
	case one.id == "":
		return
	}
	if one.name == "parent" || one.name == "project" { // what is nearer comes later and wins
		for _, name := range []string{"project.groupId", "pom.groupId", "groupId"} {
			if one.group != "" {
				p.properties = append(p.properties, [2]string{name, one.group})
			}
		}
	}
	if one.name == "parent" && one.group != "" {
		p.properties = append(p.properties, [2]string{"project.parent.groupId", one.group})
	}
	if one.group == "" && one.name == "plugin" {
		one.group = mavenOwn[0]
	}
	if one.id != "" {
		p.named = append(p.named, artifact{one.group, one.id})
	}
}

// value puts properties in their places.
func (p *pomReader) value(s string) string {
	for range 4 { // a property may name another
		if !strings.Contains(s, "${") {
			break
		}
		for i := len(p.properties) - 1; i >= 0; i-- {
			s = strings.ReplaceAll(s, "${"+p.properties[i][0]+"}", p.properties[i][1])
		}
	}
	return s
}
