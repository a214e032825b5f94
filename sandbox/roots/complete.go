package roots

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"

	"cookoff/sandbox/trees"
)

// processor is what the programs of a root must be for.
const processor = runtime.GOARCH

// ways are the directories in which worlds mount something.
var ways = []string{"proc", "sys", "dev", "tmp", "run", "var", "var/tmp", "etc", "work", "home", "home/agent"}

// made are the files that an engine makes for a container, where an image lacks
// them or has them empty.
var made = map[string]string{
	"etc/hosts": "127.0.0.1 localhost sandbox\n::1 localhost\n", "etc/hostname": "sandbox\n",
	"etc/passwd": "root:x:0:0:root:/root:/bin/bash\nagent:x:1000:1000:agent:/home/agent:/bin/bash\n",
	"etc/group":  "root:x:0:\nagent:x:1000:\n",
}

// complete gives a root what every world needs of it.
func complete(dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, d := range ways {
		st, err := root.Lstat(d)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			err = root.Mkdir(d, 0o755)
		case err != nil:
		case !st.IsDir() && path.Dir(d) != ".", d == "tmp", d == "run":
			if err = root.RemoveAll(d); err == nil {
				err = root.Mkdir(d, 0o755)
			}
		case !st.IsDir():
			err = fmt.Errorf("its /%s is no directory, and a world needs one there", d)
		}
		if err != nil {
			return err
		}
	}
	for name, text := range made {
		if st, err := root.Lstat(name); err == nil && (st.Size() > 0 || !st.Mode().IsRegular()) {
			continue
		}
		if err := root.WriteFile(name, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return hasShell(root)
}

// hasShell wants bash: it runs every command.
func hasShell(root *os.Root) error {
	a := &applier{root: root, dirs: map[string]fs.FileMode{}}
	for _, name := range []string{"bin/bash", "usr/bin/bash", "usr/local/bin/bash"} {
		for range mostLinks {
			if _, err := root.Lstat(path.Dir(name)); err != nil {
				break
			}
			dir, base, err := a.parent(name)
			if err != nil {
				break
			}
			at := path.Join(dir, base)
			st, err := root.Lstat(at)
			if err != nil {
				break
			}
			if st.Mode()&fs.ModeSymlink == 0 {
				if st.Mode().IsRegular() && st.Mode()&0o111 != 0 {
					return runs(root, a, at)
				}
				break
			}
			target, err := root.Readlink(at)
			if err != nil {
				break
			}
			if name = target; !path.IsAbs(target) {
				name = path.Join(dir, target)
			}
			name, err = clean(name)
			if err != nil {
				break
			}
		}
	}
	return errors.New("has no bash, by which commands are run\n" +
		"hint: take an image that has it (debian, not alpine), or install it there")
}

// copied copies a directory of files.
func (s Store) copied(ctx context.Context, from, to string) error {
	var bytes int64
	entries := 0
	err := filepath.WalkDir(from, func(p string, d fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(from, p) // p lies below it
		info, err := d.Info()
		if err != nil {
			return err
		}
		switch m := info.Mode(); {
		case m.IsRegular():
			bytes += info.Size()
		case m.IsDir(), m&fs.ModeSymlink != 0, filepath.Dir(rel) == "dev":
		default:
			return fmt.Errorf("%.200q is no file, directory or link", rel)
		}
		if entries++; bytes > s.Limits.Bytes || entries > s.Limits.Entries {
			return errLarge
		}
		return nil
	})
	if err != nil {
		return err
	}
	c := trees.Copier{UID: -1, GID: -1, Skip: func(rel string) bool { return filepath.Dir(rel) == "dev" }}
	if err := c.Copy(from, to); err != nil {
		return err
	}
	return filepath.WalkDir(to, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.Type()&fs.ModeSymlink != 0 {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode()&(fs.ModeSetuid|fs.ModeSetgid) != 0 {
			err = os.Chmod(p, info.Mode().Perm())
		}
		return err
	})
}

// removeAll removes what was made here.
func removeAll(dir string) { _ = trees.Remove(dir) }
