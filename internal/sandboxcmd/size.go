package sandboxcmd

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// size is a number of bytes as a flag: 65536, 512MiB, 2g.
type size int64

// units by suffix, longest first.
var units = []struct {
	suffix string
	shift  uint
}{{"kib", 10}, {"mib", 20}, {"gib", 30}, {"k", 10}, {"m", 20}, {"g", 30}, {"b", 0}}

// Set parses a size.
func (s *size) Set(text string) error {
	t, shift := strings.ToLower(strings.TrimSpace(text)), uint(0)
	for _, u := range units {
		if rest, ok := strings.CutSuffix(t, u.suffix); ok {
			t, shift = rest, u.shift
			break
		}
	}
	n, err := strconv.ParseInt(t, 10, 64)
	if err != nil || n <= 0 || n > math.MaxInt64>>shift {
		return errors.New("not a size, like 65536, 512MiB or 2g")
	}
	*s = size(n << shift)
	return nil
}

func (s *size) String() string {
	for _, u := range units[:3] {
		if n := int64(*s); u.shift == 30 && n >= 1<<30 && n%(1<<30) == 0 {
			return fmt.Sprintf("%dGiB", n>>30)
		} else if u.shift == 20 && n < 1<<30 && n >= 1<<20 && n%(1<<20) == 0 {
			return fmt.Sprintf("%dMiB", n>>20)
		}
	}
	return strconv.FormatInt(int64(*s), 10)
}

// Type names the kind of value in help texts.
func (s *size) Type() string { return "size" }
