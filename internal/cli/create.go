package cli

import (
	"errors"
	"io/fs"
	"os"

	"cookoff/internal/files"
)

// Create writes a new file; force replaces one that is there.
func Create(path string, data []byte, force bool) error {
	if force {
		return Written(files.WriteFile(path, data))
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return Usage("%s is there already\n  hint: --force overwrites it", path)
	}
	if err != nil {
		return Written(err)
	}
	_, err = f.Write(data)
	return Written(errors.Join(err, f.Close()))
}
