package tasks

import (
	"cmp"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Image is an image of containers that the user has as a file.
type Image struct {
	Path    string // of the archive, or of the directory of an OCI layout
	Workdir string
	Env     []string
	User    string // that its programs run as; "": root
	// Holds gives what is installed in it; that unpacks it, once.
	Holds func() (Machine, error)
}

// imagesAt says where images are looked for, in the words of a user.
const imagesAt = "~/.local/share/cookoff/images"

// rooting gives a task's worlds an image for their root.
type rooting struct {
	out  *sheet
	from *folder
}

// named takes the image of a name; false: there is none, or it was refused.
func (i rooting) named(name string) bool {
	if i.out.machine.Image == nil || name == "" {
		return false
	}
	img, ok, err := i.out.machine.Image(name)
	if err == nil && !ok {
		return false
	}
	i.rooted("docker_image "+cut(name), img, err)
	return true
}

// Build is an image that the machine is asked for, where it has an engine.
type Build struct {
	Task       string
	Dockerfile string        // its text
	Context    string        // directory whose files it may copy; "": none
	Time       time.Duration // that it may take
}

// built makes what the engine builds of a Dockerfile, or gets by its name, the root of the
// task's worlds; false: nobody asked for it, and it was not built before.
func (i rooting) built(image string) bool {
	b := Build{Task: i.out.task.Name, Time: time.Duration(seconds(i.out.task.BuildSeconds, 600)) * time.Second}
	what := "docker_image " + cut(image)
	at := filepath.Join(i.from.dir, "environment")
	switch st, err := os.Lstat(at); {
	case i.out.machine.Build == nil:
		return false
	case isFile(filepath.Join(at, "Dockerfile")) && err == nil && st.IsDir():
		text, err := i.from.read(Dockerfile)
		if err != nil {
			i.out.fail(err)
			return true
		}
		b.Dockerfile, b.Context, what = string(text), at, Dockerfile
	case image == "" || strings.ContainsAny(image, " \t\r\n"):
		return false
	default:
		b.Dockerfile = "FROM " + image + "\n"
	}
	img, ok, err := i.out.machine.Build(b)
	if err == nil && !ok {
		return false
	}
	i.rooted(what, img, err)
	return true
}

func cut(s string) string { return fmt.Sprintf("%.200s", s) }

// rooted makes an image the root of the task's worlds.
func (i rooting) rooted(what string, img Image, err error) {
	home, wheels, build := i.out.machine.Home, i.out.machine.Wheels, i.out.machine.Build
	if err == nil {
		if i.out.machine, err = img.Holds(); err == nil {
			i.out.machine.Home, i.out.machine.Build = home, build
			if _, pip := i.out.machine.Python("pip"); pip {
				i.out.machine.Wheels = wheels
			}
		}
	}
	if err != nil {
		i.out.refuse("%s: %v", what, err)
		return
	}
	i.out.task.Root = img.Path
	i.out.task.Workdir = path.Clean("/" + cmp.Or(i.out.task.Workdir, img.Workdir))
	for _, one := range img.Env {
		i.ofImage(one)
	}
	if user, _, _ := strings.Cut(img.User, ":"); user != "" && user != "root" && user != "0" {
		i.out.note("its image runs programs as %.100s; here its worlds have root alone", user)
	}
	i.out.note("%s: its worlds have it for their root: %s", what, img.Path)
	i.out.task.Mounts = nil
}

// ofImage sets a variable that an image sets, but for those of the task itself.
func (i rooting) ofImage(one string) {
	name, value, _ := strings.Cut(one, "=")
	switch _, own := i.out.task.Env[name]; {
	case own:
	case name == "PATH":
		i.out.search(value)
	case name == "HOME" && value == "/root":
		i.out.note("HOME is /home/agent here, and /root in its image")
	case !isName(name) || slices.Contains(ownVariables, name) || strings.ContainsAny(value, "\n\x00"):
		i.out.note("ENV %.100s of its image is not set", name)
	default:
		i.out.env(name, value)
	}
}

// ownPath gives the directories of PATH that no system has.
func (t Task) ownPath() []string {
	return slices.DeleteFunc(slices.Clone(t.Path), func(dir string) bool { return slices.Contains(systemPath, dir) })
}

// SameImage reports whether two names mean one image, as engines read them.
func SameImage(a, b string) bool { return wholeName(a) == wholeName(b) }

// wholeName is a name with the host and the tag that engines take where none is named.
func wholeName(name string) string {
	tagged, digest, pinned := strings.Cut(name, "@")
	if pinned && !strings.Contains(path.Base(tagged), ":") {
		return "@" + digest // and no name says more
	}
	name = tagged
	host, rest, found := strings.Cut(name, "/")
	if !found || !strings.ContainsAny(host, ".:") && host != "localhost" {
		if rest = name; !found {
			rest = "library/" + name
		}
		host = "docker.io"
	}
	if !strings.Contains(path.Base(rest), ":") {
		rest += ":latest"
	}
	return host + "/" + rest
}
