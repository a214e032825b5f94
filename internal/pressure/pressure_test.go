package pressure

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestMeter(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	cpu := put("cpu",
		"some avg10=9.88 avg60=98.84 avg300=97.92 total=1000000\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n")
	memory := put("memory", "some avg10=0.00 avg60=0.00 avg300=0.00 total=0\n")
	now := time.Unix(1000, 0)
	end := meter([2]string{cpu, memory}, func() time.Time { return now })
	now = now.Add(4 * time.Second)
	put("cpu", "some avg10=9.88 avg60=98.84 avg300=97.92 total=2000000\n")
	if p := end(); p == nil || p.CPU != 0.25 || p.Memory != 0 {
		t.Errorf("%+v", p)
	}
	put("cpu", "some avg10=9.88 avg60=98.84 avg300=97.92 total=99000000\n")
	if p := end(); p == nil || p.CPU != 1 {
		t.Errorf("more than all of the time: %+v", p)
	}
	put("cpu", "none of it")
	if p := end(); p != nil {
		t.Errorf("%+v where the machine does not say", p)
	}
	if p := meter([2]string{cpu, memory}, time.Now)(); p != nil {
		t.Errorf("%+v where the machine does not say", p)
	}
}
