package leftovers

import (
	"fmt"
	"strings"

	"cookoff/internal/apply"
	"cookoff/internal/ui/text"
)

// TakeBack makes of the project in dir what it was before an apply that was killed on its
// way, and gives what is to be said of that.
func TakeBack(dir string) (said []string, err error) {
	back, err := apply.TakeBack(dir)
	if back != nil && len(back.Unchanged) > 0 {
		said = append(said, "an apply was cut off half-way, and is taken back: "+named(back.Unchanged))
	}
	if back != nil && len(back.Kept) > 0 {
		said = append(said, "warning: changed since that apply, and left as they are: "+named(back.Kept))
	}
	if err != nil {
		err = fmt.Errorf("taking back an apply that was cut off: %w", err)
	}
	return said, err
}

func named(paths []string) string { return text.Line(strings.Join(paths, ", ")) }
