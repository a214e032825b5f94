package trees

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestParseMounts(t *testing.T) {
	got, err := ParseMounts(strings.NewReader("27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw\n" +
		`28 27 0:25 /sub\040dir /mnt/a\040b/ ro - tmpfs none ro,size=4k` + "\n"))
	want := []Mounted{{"254:0", "/", "/", "ext4"}, {"0:25", "/sub dir", "/mnt/a b", "tmpfs"}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v %v", got, err)
	}
	for _, bad := range []string{"x\n", "1 2 3:4 / / rw\n", "1 2 3:4 / relative rw - ext4 x rw\n"} {
		if _, err := ParseMounts(strings.NewReader(bad)); err == nil || !strings.Contains(err.Error(),
			"can't be understood") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func FuzzParseMounts(f *testing.F) {
	f.Add("27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw\n28 27 254:0 /sub /mnt rw - ext4 /dev/vda rw\n")
	f.Fuzz(func(t *testing.T, text string) {
		mounts, err := ParseMounts(strings.NewReader(text))
		if err != nil {
			return
		}
		for _, m := range mounts {
			if !filepath.IsAbs(m.At) {
				t.Errorf("%+v", m)
			}
			if all := Aliases(mounts, m.At); all[0] != m.At {
				t.Errorf("%q is not among %q", m.At, all)
			}
		}
	})
}

func TestAliases(t *testing.T) {
	mounts := []Mounted{
		{"8:1", "/", "/", "ext4"}, {"8:2", "/", "/home", "ext4"}, {"8:2", "/", "/srv/home", "ext4"}, {"8:2", "/u", "/u",
			"ext4"},
		{"8:2", "/u/p/sub", "/sub", "ext4"}, {"8:2", "/other", "/other", "ext4"}, {"8:1", "/var", "/v", "ext4"},
	}
	for path, want := range map[string]string{
		"/home/u/p": "/home/u/p /srv/home/u/p /u/p /sub",
		"/u/p":      "/u/p /home/u/p /srv/home/u/p /sub",
		"/var/x":    "/var/x /v/x",
		"/other":    "/other /home/other /srv/home/other",
	} {
		if got := strings.Join(Aliases(mounts, path), " "); got != want {
			t.Errorf("%s is at %s, want %s", path, got, want)
		}
	}
}
