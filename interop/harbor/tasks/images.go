package tasks

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// Image is an image of containers that the user has as a file.
type Image struct {
	Path    string // of the archive, or of the directory of an OCI layout
	Workdir string
	Env     []string
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
	if err == nil && ok {
		home, wheels := r.machine.Home, r.machine.Wheels
		if r.machine, err = img.Holds(); err == nil {
			r.machine.Home = home
			if _, pip := r.machine.Python("pip"); pip {
				r.machine.Wheels = wheels
			}
		}
	}
	if err != nil {
		r.refuse("docker_image %.200s: %v", name, err)
		return true
	}
	if !ok {
		return false
	}
	r.task.Root = img.Path
	r.task.Workdir = path.Clean("/" + cmp.Or(r.task.Workdir, img.Workdir))
	for _, one := range img.Env {
		name, value, _ := strings.Cut(one, "=")
		if _, own := r.task.Env[name]; own {
			continue
		}
		if !isName(name) || slices.Contains(ownVariables, name) || strings.ContainsAny(value, "\"\\\n$") {
			if name != "PATH" || unusual(value) != "" {
				r.note("ENV %.100s of its image is not set", strings.Join([]string{name, unusual(value)}, " "))
			}
			continue
		}
		r.env(name, value)
	}
	r.note("docker_image %.200s: its worlds have it for their root: %s", name, img.Path)
	r.task.Mounts = nil
	return true
}

// unusual gives the directories of a PATH that no system has.
func unusual(value string) string {
	return strings.Join(slices.DeleteFunc(strings.Split(value, ":"), func(dir string) bool {
		return slices.Contains([]string{"/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"}, dir)
	}), ":")
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
