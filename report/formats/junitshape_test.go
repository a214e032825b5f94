package formats

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// shape restates what the schemas of Jenkins (junit-10.xsd) and Maven Surefire
// (surefire-test-report.xsd) both allow: children and attributes of each element,
// and the file and line of a testcase that pytest writes and GitLab reads,
// "!" before those that one of them requires.
var shape = map[string]struct{ children, attributes string }{
	"":           {"testsuites", ""},
	"testsuites": {"testsuite", "name time tests failures disabled errors"},
	"testsuite": {"properties testcase system-out system-err",
		"!name !tests !failures !errors !skipped time timestamp hostname id package"},
	"properties": {"property", ""},
	"property":   {"", "!name !value"},
	"testcase":   {"skipped error failure system-out system-err", "!name classname time assertions status file line"},
	"failure":    {"", "type message"},
	"error":      {"", "type message"},
	"skipped":    {"", "type message"},
}

func TestJUnitHasTheShapeThatReadersKnow(t *testing.T) {
	files, err := filepath.Glob("testdata/*.junit")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		within := []string{""}
		cases := map[string]bool{}
		for dec := xml.NewDecoder(f); ; {
			tok, err := dec.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(name, err)
			}
			switch e := tok.(type) {
			case xml.StartElement:
				element(t, name, within[len(within)-1], e)
				if e.Name.Local == "testsuite" {
					clear(cases)
				}
				if e.Name.Local == "properties" && len(cases) > 0 {
					t.Errorf("%s: properties behind a testcase", name)
				}
				if e.Name.Local == "testcase" { // Jenkins shows one of equal names only
					key := attribute(e, "classname") + "\x00" + attribute(e, "name")
					if cases[key] {
						t.Errorf("%s: two testcases %q", name, key)
					}
					cases[key] = true
				}
				within = append(within, e.Name.Local)
			case xml.EndElement:
				within = within[:len(within)-1]
			}
		}
	}
}

// element checks one element against the shape.
func element(t *testing.T, file, parent string, e xml.StartElement) {
	t.Helper()
	name := e.Name.Local
	if !slices.Contains(strings.Fields(shape[parent].children), name) {
		t.Errorf("%s: %s within %q", file, name, parent)
	}
	known := strings.Fields(shape[name].attributes)
	for _, a := range known {
		if want, required := strings.CutPrefix(a, "!"); required && !slices.ContainsFunc(e.Attr,
			func(a xml.Attr) bool { return a.Name.Local == want }) {
			t.Errorf("%s: %s lacks %s", file, name, want)
		}
	}
	for _, a := range e.Attr {
		if !slices.Contains(known, a.Name.Local) && !slices.Contains(known, "!"+a.Name.Local) {
			t.Errorf("%s: %s has %s", file, name, a.Name.Local)
		}
		_, whole := strconv.ParseUint(a.Value, 10, 31)
		number, real := strconv.ParseFloat(a.Value, 64)
		switch a.Name.Local {
		case "tests", "failures", "errors", "skipped", "disabled":
			if whole != nil {
				t.Errorf("%s: %s of %s is %q", file, a.Name.Local, name, a.Value)
			}
		case "time":
			if real != nil || number < 0 || strings.ContainsAny(a.Value, "eEnN,") {
				t.Errorf("%s: time of %s is %q", file, name, a.Value)
			}
		}
	}
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}
