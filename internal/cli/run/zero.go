package run

import "cookoff/internal/cli"

// checkZeros refuses a 0 where it would mean the usual value, and who writes it means
// none.
func (f *runFlags) checkZeros() error {
	for _, z := range []struct {
		flag, value, want string
		zero              bool
	}{
		{"provider-wait", "0s", "time", f.wait == 0},
		{"false-alarms", "0", "share", f.until.Alpha == 0},
	} {
		if z.zero && f.given(z.flag) {
			return cli.Usage("--%s %s: give a %s above 0, or leave the flag out for the usual one", z.flag,
				z.value, z.want)
		}
	}
	return nil
}
