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

// image makes an image the root of the task's worlds; false: there is none, or it was
// refused.
func (r *reading) image(name string) bool {
	if r.machine.Image == nil || name == "" {
		return false
	}
	img, ok, err := r.machine.Image(name)
	if err == nil && !ok {
		return false
	}
	r.rooted("docker_image "+cut(name), img, err)
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
func (r *reading) built(image string) bool {
	b := Build{Task: r.task.Name, Time: time.Duration(seconds(r.task.BuildSeconds, 600)) * time.Second}
	what := "docker_image " + cut(image)
	at := filepath.Join(r.dir, "environment")
	switch st, err := os.Lstat(at); {
	case r.machine.Build == nil:
		return false
	case isFile(filepath.Join(at, "Dockerfile")) && err == nil && st.IsDir():
		text, err := readFile(r.dir, "environment/Dockerfile")
		if err != nil {
			r.refused = append(r.refused, err)
			return true
		}
		b.Dockerfile, b.Context, what = string(text), at, "environment/Dockerfile"
	case image == "" || strings.ContainsAny(image, " \t\r\n"):
		return false
	default:
		b.Dockerfile = "FROM " + image + "\n"
	}
	img, ok, err := r.machine.Build(b)
	if err == nil && !ok {
		return false
	}
	r.rooted(what, img, err)
	return true
}

func cut(s string) string { return fmt.Sprintf("%.200s", s) }

// rooted makes an image the root of the task's worlds.
func (r *reading) rooted(what string, img Image, err error) {
	home, wheels, build := r.machine.Home, r.machine.Wheels, r.machine.Build
	if err == nil {
		if r.machine, err = img.Holds(); err == nil {
			r.machine.Home, r.machine.Build = home, build
			if _, pip := r.machine.Python("pip"); pip {
				r.machine.Wheels = wheels
			}
		}
	}
	if err != nil {
		r.refuse("%s: %v", what, err)
		return
	}
	r.task.Root = img.Path
	r.task.Workdir = path.Clean("/" + cmp.Or(r.task.Workdir, img.Workdir))
	for _, one := range img.Env {
		r.ofImage(one)
	}
	if user, _, _ := strings.Cut(img.User, ":"); user != "" && user != "root" && user != "0" {
		r.note("its image runs programs as %.100s; here its worlds have root alone", user)
	}
	r.note("%s: its worlds have it for their root: %s", what, img.Path)
	r.task.Mounts = nil
}

// ofImage sets a variable that an image sets, but for those of the task itself.
func (r *reading) ofImage(one string) {
	name, value, _ := strings.Cut(one, "=")
	switch _, own := r.task.Env[name]; {
	case own:
	case name == "PATH":
		r.search(value)
	case name == "HOME" && value == "/root":
		r.note("HOME is /home/agent here, and /root in its image")
	case !isName(name) || slices.Contains(ownVariables, name) || strings.ContainsAny(value, "\n\x00"):
		r.note("ENV %.100s of its image is not set", name)
	default:
		r.env(name, value)
	}
}

// systemPath are the directories that every system has.
var systemPath = []string{"/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"}

// search sets the directories in which programs are looked for.
func (r *reading) search(value string) {
	r.task.Path = nil
	for dir := range strings.SplitSeq(value, ":") {
		switch {
		case !path.IsAbs(dir) || strings.ContainsAny(dir, "\"\\,'$\n\x00"):
			r.note("%.100q of PATH is no plain directory, and is left out", dir)
		case !slices.Contains(r.task.Path, path.Clean(dir)):
			r.task.Path = append(r.task.Path, path.Clean(dir))
		}
	}
	if r.args != nil {
		r.args["PATH"] = strings.Join(r.task.Path, ":")
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
