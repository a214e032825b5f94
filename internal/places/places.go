// Package places knows where in a world a task may have directories of its own.
package places

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// Most is how many a task may have.
const Most = 16

// taken are the places that a world has already, or that are the machine's: none
// may be one of them, lie in one, or hold one.
var taken = []string{
	"/proc", "/sys", "/dev", "/run", "/tmp", "/var/tmp", "/var/run", "/work", "/home/agent", "/var/cache/build",
	"/.cookoff",
	"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix", "/gnu", "/boot",
}

// etc are the names in /etc that a world has.
var etc = []string{
	"passwd", "group", "shadow", "hosts", "hostname", "nsswitch.conf", "resolv.conf", "shells", "profile", "mtab",
	"alternatives", "ssl", "ca-certificates",
	"pki", "crypto-policies", "ld.so.cache", "localtime", "protocols", "services", "maven", "php",
}

// Problem says why a directory of a task can't be at an absolute path; "": it can.
func Problem(at string) string {
	switch {
	case !path.IsAbs(at):
		return fmt.Sprintf("%q is not absolute", at)
	case at == "/":
		return "it would be the whole world: root: gives a task one of its own"
	case path.Clean(at) != at:
		return fmt.Sprintf("%q is written in a roundabout way: write %s", at, path.Clean(at))
	case len(at) > 200 || strings.ContainsFunc(at,
		func(r rune) bool { return r < ' ' || strings.ContainsRune(`:,"'\`, r) || r == 0x7f }):
		return fmt.Sprintf("%.40q is no plain path: "+
			"no quote, comma, colon, backslash or control character, at most 200 bytes", at)
	case at == "/etc":
		return "/etc is the world's: a directory in it can be had, as /etc/app"
	}
	for _, t := range taken {
		switch {
		case at == t:
			return t + " is the world's own"
		case Below(at, t):
			return fmt.Sprintf("it lies in %s, which is the world's own", t)
		case Below(t, at):
			return fmt.Sprintf("%s, which is the world's own, lies in it", t)
		}
	}
	if in, ok := strings.CutPrefix(at, "/etc/"); ok {
		name, _, _ := strings.Cut(in, "/")
		if slices.Contains(etc, name) || strings.HasPrefix(name, "java-") {
			return fmt.Sprintf("/etc/%s is the world's own", name)
		}
	}
	return ""
}

// Own gives what a world has of its own and a directory of the machine would hide, if it
// were shown at its own place: the directory itself, or what lies in it; "": nothing.
func Own(dir string) string {
	for _, t := range slices.Concat([]string{"/etc"}, taken[:slices.Index(taken, "/usr")]) {
		if dir == t || Below(t, dir) {
			return t
		}
	}
	return ""
}

// Below reports whether a path lies in dir.
func Below(at, dir string) bool { return strings.HasPrefix(at, strings.TrimSuffix(dir, "/")+"/") }

// Clash says why a place can't be beside others; "": it can.
func Clash(at string, others []string) string {
	for _, o := range others {
		switch {
		case at == o:
			return at + " is there twice"
		case Below(at, o), Below(o, at):
			return fmt.Sprintf("%s and %s lie in one another", o, at)
		}
	}
	return ""
}

// MountAt splits a mount: the absolute place, and the directory of the project that
// is seen there as well, "" for a directory of its own.
func MountAt(mount string) (from, at string) {
	if from, at, shared := strings.Cut(mount, ":"); shared {
		return path.Clean(from), at
	}
	return "", mount
}

// MountPlaces gives the places of mounts.
func MountPlaces(mounts []string) (all []string) {
	for _, m := range mounts {
		_, at := MountAt(m)
		all = append(all, at)
	}
	return all
}
