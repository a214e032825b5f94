package tree

import (
	"path"
	"slices"
	"strings"
)

// cacheEnds are how files are called in which tools keep what they found out before.
var cacheEnds = []string{".tsbuildinfo", ".eslintcache", ".stylelintcache"}

// cacheDirs are directories of such files in a project. Cargo compiles anew what it
// has no fingerprint of.
var cacheDirs = []string{".mypy_cache", ".ruff_cache", ".pytest_cache", ".pytype", ".pyre", ".parcel-cache", ".turbo",
	".nx", ".swc", ".gradle", ".fingerprint"}

// cachePaths are those that lie below another directory.
var cachePaths = []string{"/node_modules/.cache/", "/node_modules/.vite/", "/.next/cache/", "/.angular/cache/"}

// homeCaches are those in HOME.
var homeCaches = []string{"~/.ccache/", "~/.cache/ccache/", "~/.cache/sccache/", "~/.cache/go-build/",
	"~/.gradle/caches/build-cache-", "~/.cache/bazel/", "~/.cache/mypy/", "~/.cache/ruff/"}

// IsBuildCache reports whether a file of a manifest says what a tool found out, or
// made, before: who writes there decides what it says next time. Without them it looks
// again. Name is that of the cache.
func IsBuildCache(p string) (name string, is bool) {
	for _, end := range cacheEnds {
		if strings.HasSuffix(p, end) {
			return path.Base(p), true
		}
	}
	for _, dir := range homeCaches {
		if strings.HasPrefix(p, dir) {
			return dir, true
		}
	}
	for _, dir := range cachePaths {
		if strings.Contains("/"+p, dir) {
			return dir, true
		}
	}
	parts := strings.Split(p, "/")
	for _, part := range parts[:len(parts)-1] {
		if slices.Contains(cacheDirs, part) {
			return part, true
		}
	}
	return "", false
}
