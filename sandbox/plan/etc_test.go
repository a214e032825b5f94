package plan

import (
	"os"
	"path/filepath"
	"testing"
)

// TestExtensions: a file that says more than which extension is loaded is not shown.
func TestExtensions(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.ini": "; for dom\n; priority=20\nextension=dom.so\n",
		"b.ini": "zend_extension = opcache.so\nopcache.jit=off\n",
		"c.ini": "extension=newrelic.so\nnewrelic.license=\"0123\"\n",
		"d.ini": "extension=x.so ; password 0123\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got := extensions(filepath.Join(dir, "*.ini"))
	if len(got) != 2 || filepath.Base(got[0]) != "a.ini" || filepath.Base(got[1]) != "b.ini" {
		t.Errorf("shown: %q", got)
	}
}
