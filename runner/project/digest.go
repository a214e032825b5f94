package project

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"cookoff/recipe"
)

// Digest gives the digest of the files that were copied, those of judges included.
func (c *Copy) Digest() (string, error) {
	judge, err := judgeDigest(c.source.Recipe)
	if c.sum == "" && err == nil {
		var sum string
		err = remembered(c, "digest", judge, &sum, func(out *string) (err error) {
			*out, err = Digest(c.Dir, c.source.Recipe)
			return err
		})
		return sum, err
	}
	return fmt.Sprintf("%x", sha256.Sum256([]byte(c.sum+judge))), err
}

// Files gives the digest of the files that were copied, without those of judges.
func (c *Copy) Files() (sum string, err error) {
	if c.sum != "" {
		return c.sum, nil
	}
	err = remembered(c, "digest", "", &sum, func(out *string) (err error) {
		*out, err = Digest(c.Dir, &recipe.Recipe{})
		return err
	})
	return sum, err
}

// Digest gives the digest of the files that trials start with, those of judges
// included. dir is "" where there is no project.
func Digest(dir string, r *recipe.Recipe) (string, error) {
	judge, err := judgeDigest(r)
	if dir == "" || err != nil {
		return judge, err
	}
	h := sha256.New()
	fmt.Fprintf(h, "%s", judge)
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if rel == "." { // of a copy: its mode is that of who copies
			return nil
		}
		fmt.Fprintf(h, "%q %s\n", rel, info.Mode())
		if d.Type().IsRegular() {
			fmt.Fprintf(h, "%d\n", info.Size())
		}
		switch {
		case d.Type()&fs.ModeSymlink != 0:
			link, err := os.Readlink(path)
			fmt.Fprintf(h, "%q\n", link)
			return err
		case !d.Type().IsRegular():
			return nil
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = io.Copy(h, f)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("reading the project: %w", err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
