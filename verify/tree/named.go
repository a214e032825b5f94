package tree

import (
	"strings"
)

// Names reports whether a script names a setting, or the section of a driver
// it is of, so that what the file says is what it asks for.
func Names(script, key string) bool {
	if strings.Count(key, ".") > 1 {
		key = key[:strings.LastIndexByte(key, '.')]
	}
	return strings.Contains(strings.ToLower(script), strings.ToLower(key))
}
