package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"cookoff/internal/files"
)

// Create writes a new file, as a whole or not at all; force replaces one that is there.
func Create(path string, data []byte, force bool) error {
	if err := CanWrite("", path); err != nil {
		return err
	}
	if force {
		return Written(files.WriteFile(path, data))
	}
	err := files.CreateFile(path, data)
	if errors.Is(err, fs.ErrExist) {
		return Usage("%s is there already\n  hint: --force overwrites it", path)
	}
	return Written(err)
}

// CanWrite refuses a file that could not be written in the end, while nothing is done
// yet; before stands before its name.
func CanWrite(before, file string) error {
	if _, err := os.Stat(file); err == nil && !files.IsRegular(file) {
		return nil // a pipe or a device: nothing is made
	}
	err := files.CanCreateBeside(file)
	switch {
	case DiskFull(err):
		return Fail(ExitInfra, fmt.Errorf("%s%s: no file can be made in %s: %w", before, file, filepath.Dir(file), err))
	case err != nil:
		return Usage("%s%s: no file can be made in %s: %v\n  hint: -o names one in a directory that you may write to",
			before, file, filepath.Dir(file), err)
	}
	return nil
}
