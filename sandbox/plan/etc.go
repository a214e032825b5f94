package plan

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// SystemDirs are the directories with the host's programs.
func SystemDirs() []string {
	return []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store"}
}

// smallFile is the most of a file that is copied, in bytes.
const smallFile = 4 << 10

// EtcOfHost divides EtcShown, once in a process: small files with their texts, which are written
// into each world, and all else, which is mounted there. A mount costs ten times as much as a small file, once
// to make and once more when the world ends, and there are dozens of them.
var EtcOfHost = sync.OnceValues(func() (mounted []string, copied map[string]string) {
	copied = map[string]string{}
	for _, name := range EtcShown() {
		if text, small := readSmall("/etc/" + name); small {
			copied[name] = text
		} else {
			mounted = append(mounted, name)
		}
	}
	return mounted, copied
})

// readSmall reads a file, if it is a small one that everybody may read: what only its owner may,
// nobody else gets by a copy.
func readSmall(path string) (text string, small bool) {
	st, err := os.Stat(path)
	if err != nil || !st.Mode().IsRegular() || st.Mode()&0o004 == 0 || st.Size() > smallFile {
		return "", false
	}
	b, err := os.ReadFile(path)
	return string(b), err == nil && len(b) <= smallFile
}

// EtcShown names what of the host's /etc is shown: what programs of /usr read
// there, and nothing that people put secrets into.
func EtcShown() []string {
	names := []string{
		"alternatives", "ssl/certs", "ssl/openssl.cnf", "ca-certificates", "pki/tls", "pki/ca-trust", "crypto-policies",
		"ld.so.cache", "localtime", "protocols", "services",
		"maven/m2.conf", "maven/logging",
	}
	for _, glob := range []string{"security", "*.cfg", "*.properties"} {
		java, _ := filepath.Glob("/etc/java-*-openjdk/" + glob) // the pattern is a valid one
		for _, path := range java {
			names = append(names, strings.TrimPrefix(path, "/etc/"))
		}
	}
	return append(names, extensions("/etc/php/*/cli/conf.d/*.ini")...)
}

// loads reports whether a line of a file of PHP's settings loads an extension, or says nothing.
func loads(line string) bool {
	name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
	switch name = strings.TrimSpace(name); {
	case name == "" || strings.HasPrefix(name, ";"), name == "opcache.jit":
		return true
	case name == "extension" || name == "zend_extension":
		return !strings.ContainsAny(strings.TrimSpace(value), " \t;=")
	}
	return false
}

// extensions names those of some files below /etc by which PHP gets its extensions, as Debian has it, and which say
// nothing else: a license may stand in another.
func extensions(glob string) (names []string) {
	files, _ := filepath.Glob(glob) // the pattern is a valid one
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err == nil && !slices.ContainsFunc(strings.Split(string(text), "\n"),
			func(line string) bool { return !loads(line) }) {
			names = append(names, strings.TrimPrefix(path, "/etc/"))
		}
	}
	return names
}

// EtcFiles gives the files of /etc that are made up.
func EtcFiles(p Plan) map[string]string {
	files := map[string]string{
		"passwd": "root:x:0:0:root:/nonexistent:/usr/sbin/nologin\n" +
			"agent:x:1000:1000:agent:/home/agent:/bin/bash\n" +
			"nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n",
		"group":    "root:x:0:\nagent:x:1000:\nnogroup:x:65534:\n",
		"hosts":    "127.0.0.1 localhost " + p.Hostname + "\n::1 localhost\n",
		"hostname": p.Hostname + "\n",
		"nsswitch.conf": "passwd: files\ngroup: files\n" +
			"hosts: files dns\nnetworks: files\nprotocols: files\nservices: files\n",
		"resolv.conf": "",
		"shells":      "/bin/sh\n/bin/bash\n",
		"profile":     "",
	}
	if p.Network {
		if b, err := os.ReadFile("/etc/resolv.conf"); err == nil {
			files["resolv.conf"] = string(b)
		}
	}
	return files
}
