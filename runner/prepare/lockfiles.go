package prepare

import (
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// locks are the names of files that say what a project needs.
var locks = []string{
	"go.mod", "go.sum", "go.work", "go.work.sum", "package.json", "package-lock.json", "npm-shrinkwrap.json",
	"pnpm-lock.yaml", "yarn.lock", ".npmrc", "bun.lock",
	"pyproject.toml", "setup.py", "setup.cfg", "uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock",
	"requirements*.txt", "constraints*.txt", "*requirements.txt", "environment.yml",
	"Cargo.toml", "Cargo.lock", "rust-toolchain", "rust-toolchain.toml", "pom.xml", "build.gradle", "build.gradle.kts",
	"settings.gradle", "settings.gradle.kts", "gradle.lockfile", "libs.versions.toml",
	"Gemfile", "Gemfile.lock", "composer.json", "composer.lock", "mix.lock",
}

// passed are directories that hold others' files, or made ones.
var passed = []string{".git", "node_modules", "vendor", ".venv", "venv", "target", "site-packages", "testdata"}

// Lockfiles gives the files of a project that say what it needs, by their paths in it.
func Lockfiles(project string) (out []string, err error) {
	if project == "" {
		return nil, nil
	}
	err = filepath.WalkDir(project, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(project, p)
		if err != nil {
			return err
		}
		switch {
		case d.IsDir() && (slices.Contains(passed, d.Name()) || strings.Count(filepath.ToSlash(rel), "/") > 3):
			return fs.SkipDir
		case d.Type().IsRegular() && isLock(d.Name()), d.Type().IsRegular() &&
			path.Base(path.Dir(filepath.ToSlash(rel))) == "requirements" && strings.HasSuffix(rel, ".txt"):
			out = append(out, rel)
		}
		return nil
	})
	return out, err
}

func isLock(name string) bool {
	return slices.ContainsFunc(locks, func(glob string) bool {
		ok, _ := path.Match(glob, name) // the patterns are well-formed
		return ok
	})
}
