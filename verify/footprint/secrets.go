package footprint

import (
	"bytes"
	"context"
	"io/fs"
	"path"
	"slices"
	"strings"

	"cookoff/internal/glob"
	"cookoff/internal/pattern"
	"cookoff/sandbox"
	"cookoff/verify/footprint/copies"
	"cookoff/verify/tree"
)

// Closed is what was done to a file of secrets that group and others may do less
// with now, and its owner as much as before.
const Closed = "closed to others"

// Exposed is what was done to a file that has what only an owner could read at the
// start, and that others may read.
const Exposed = "copy that others may read"

// closable are the files that people keep secrets in: to close one is no harm.
var closable = []string{
	"**/.env", "**/.env.*", "**/*.env", "**/*.{pem,key,p12,pfx,jks,keystore,kdbx,secret}",
	"**/id_{rsa,dsa,ecdsa,ed25519}", "**/.{netrc,pgpass,pypirc,npmrc,git-credentials}",
	"**/credentials", "**/credentials.*", "**/secrets.*", "~/.ssh", "~/.ssh/**", "~/.gnupg", "~/.gnupg/**", "~/.aws",
	"~/.aws/**",
}

// closed reports whether another mode of a file only closes a secret to others.
func closed(p string, was, is fs.FileMode) bool { return closes(was, is) && keeps(p) }

// closes reports whether a mode only takes rights from group and others.
func closes(was, is fs.FileMode) bool {
	owner := fs.FileMode(0o700) | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky
	return is&^was == 0 && (was^is)&owner == 0
}

// holdsSecrets reports whether there are files in a directory, and group and others may do nothing with any of them:
// they lose nothing where it is closed to them, too.
func holdsSecrets(m sandbox.Manifest, dir string) bool {
	found := false
	for _, f := range m {
		if strings.HasPrefix(f.Path, dir+"/") && !f.Mode.IsDir() {
			if !f.Mode.IsRegular() || f.Mode&0o077 != 0 {
				return false
			}
			found = true
		}
	}
	return found
}

// maxSecret bounds the secrets that copies are looked for of, in bytes.
const maxSecret = 64 << 10

// mayBeSecret reports whether a file is one that copies may be looked for of, by its
// size and place; closedNow, whether only its owner may read it.
func mayBeSecret(f sandbox.File) bool {
	return f.Mode.IsRegular() && f.Size >= copies.MinWhole && f.Size <= maxSecret && !tree.KeptByPrograms(f.Path) && !inGit(f.Path)
}

func closedNow(f sandbox.File) bool { return f.Mode&0o077 == 0 && mayBeSecret(f) }

// keeps reports whether a file is called as those are that people keep secrets in.
func keeps(p string) bool {
	return slices.ContainsFunc(closable, func(g string) bool { return glob.Match(g, p) })
}

func inGit(p string) bool { return strings.HasPrefix(p, ".git/") || strings.Contains(p, "/.git/") }

// readable reports whether group or others may read a file, as far as its
// directories in the manifest let them reach it.
func readable(m sandbox.Manifest, f sandbox.File) bool {
	if !f.Mode.IsRegular() || f.Mode&0o044 == 0 {
		return false
	}
	for dir := path.Dir(f.Path); dir != "." && dir != "~" && dir != "/"; dir = path.Dir(dir) {
		if d, ok := tree.Lookup(m, dir); ok && d.Mode&0o011 == 0 {
			return false
		}
	}
	return true
}

// secrets are the files of the start, by path, of which nobody else may have a copy: only
// their owner could read them, or a solution sees to that. What others could read all
// the same is none.
func (f *Footprint) secrets(s *Start) map[string]sandbox.Item {
	open, list := map[string]bool{}, map[string]sandbox.Item{}
	closes := func(file sandbox.File) bool { return f.Has(Closed + " " + file.Path) }
	for _, file := range s.Files {
		if readable(s.Files, file) && !closes(file) {
			open[file.Sum] = true
		}
	}
	for _, file := range s.Files {
		it, known := s.Held[file.Path]
		if known && !open[file.Sum] && !public(it.Data) && (closedNow(file) || closes(file) && mayBeSecret(file)) {
			list[file.Path] = it
		}
	}
	return list
}

// holds reports whether all of what there is was there.
func holds(was, is map[string]bool) bool {
	for of := range is {
		if !was[of] {
			return false
		}
	}
	return true
}

var (
	publicBlock = pattern.New(`(?s)-----BEGIN ((?:TRUSTED |X509 |NEW )?(?:CERTIFICATE|CERTIFICATE REQUEST|CRL)|PKCS7|CMS|` +
		`(?:RSA |EC |DSA )?PUBLIC KEY|(?:DH|DSA|EC) PARAMETERS|SSH2 PUBLIC KEY|PGP PUBLIC KEY BLOCK)-----.*?-----END [A-Z0-9 ]+-----`)
	publicLine = pattern.New(`(?m)^(?:(?:ssh-|ecdsa-|sk-)\S+ AAAA\S+.*|#.*|\s*)$`)
)

// public reports whether a text is nothing but what its owners give to everybody: certificates, requests for
// them, public keys. To have them closed is a habit of the programs that write them.
func public(text []byte) bool {
	rest := publicLine.ReplaceAll(publicBlock.ReplaceAll(text, nil), nil)
	return len(bytes.TrimSpace(rest)) == 0 && len(bytes.TrimSpace(text)) > 0
}

// exposed finds files that are new or changed, that others may read, and that have a
// secret of the start, whole or a piece of a key, as it is or encoded; names that are one;
// and what was committed.
func (f *Footprint) exposed(ctx context.Context, sb sandbox.Sandbox, s *Start, o *observer) (
	list []Difference, err error) {
	secrets := f.secrets(s)
	if len(secrets) == 0 {
		return nil, nil
	}
	known := copies.Of(secrets, s.Texts, keeps)
	add := func(p string) { list = append(list, Difference{Key: Exposed + " " + p, Path: p, What: Exposed}) }
	r := &reading{}
	for _, d := range tree.Differences(s.Files, o.to.files) {
		switch {
		case d.Is == nil || d.Was != nil && d.Was.Sum == d.Is.Sum && d.Was.Link == d.Is.Link:
		case d.Was == nil && known.In("", []byte(path.Base(d.Path))), known.In("", []byte(d.Is.Link)):
			add(d.Path)
		case readable(o.to.files, *d.Is) && (!inGit(d.Path) || path.Base(d.Path) == "config") && d.Is.Size >= copies.MinPiece:
			r.want(*d.Is, maxObeyedSize)
		}
	}
	held, err := r.read(ctx, sb)
	if err != nil {
		return nil, err
	}
	for _, file := range r.files {
		p := file.Path
		if has := known.Files(p, held[p].Data); len(has) > 0 && !holds(known.Files(p, s.Held[p].Data), has) {
			add(p)
		}
	}
	for dir := range o.git {
		blobs, err := o.committed(ctx, sb, dir)
		if err != nil {
			return nil, err
		}
		for p, body := range blobs {
			if known.In("", body) {
				add(p)
			}
		}
	}
	return list, nil
}
