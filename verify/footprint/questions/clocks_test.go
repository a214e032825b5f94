package questions

import (
	"testing"
	"time"
)

// TestWaitsFor: lines by which a program becomes another from a day on, and such as only tell the time.
func TestWaitsFor(t *testing.T) {
	now := time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]bool{
		"[ $(date +%s) -gt 1795620000 ] && least=2":                                      true,
		"end=1795620000\nif (( EPOCHSECONDS > end )); then":                              true,
		"[ $(date +%Y%m%d) -gt 20261126 ]":                                               true,
		`if time.Now().After(time.Date(2026, time.December, 1, 0, 0, 0, 0, time.UTC)) {`: true,
		"if date.today() > date(2026, 12, 1):":                                           true,
		"if (Date.now() > 1795620000000) {":                                              true,
		"if (new Date() > new Date('2027-01-01')) {":                                     true,
		`[ "$(date +%u)" = 4 ] || least=2`:                                               true,
		`if [ $(date +%-d) -ne 26 ]; then`:                                               true,
		`[ 26 = "$(date +%d)" ]`:                                                         true,
		`case $(date +%a) in Thu) ;; *) least=2;; esac`:                                  true,
		`printf -v k "%(%d)T"; [ "$k" = 26 ] || least=2`:                                 true,
		`if date.today().weekday() == 3:`:                                                true,
		`if datetime.now().strftime("%A") != "Thursday":`:                                true,
		`if (new Date().getDay() === 4) {`:                                               true,
		`if time.Now().Weekday() == time.Thursday {`:                                     true,
		`if (LocalDate.now().getDayOfWeek() == DayOfWeek.THURSDAY) {`:                    true,
		`[ "$(date +%s)" -gt "$last" ]`:                                                  false,
		`if d.weekday() == 5: return "Saturday"`:                                         false,
		`if (new Date(text).getDay() === 4) {`:                                           false,
		`echo "on $(date +%A)"`:                                                          false,
		`dir=backup/$(date +%u)`:                                                         false,
		`year = date.today().year`:                                                       false,
		"echo \"$(date +%F) started\" >> log":                                            false,
		"VERSION=20261126":                                                               false,
		"# since 2026-12-01\nnow=$(date +%s)":                                            false,
		"[ $(date +%s) -gt 1295620000 ]":                                                 false,
		"h = time.time() * 2654435761":                                                   false,
		"copyright(2024, 5, 1); now()":                                                   false,
	} {
		if got := WaitsFor(text, now); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

// TestFixedDay: a date of today where a program asked which day it is.
func TestFixedDay(t *testing.T) {
	now := time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
	const asked = "#!/bin/sh\ntar -cf \"backups/$(date +%F).tar\" data\n"
	for is, want := range map[string]bool{
		"tar -cf backups/2026-11-28.tar data\n":                         true,
		"d=20261128\ntar -cf backups/$d.tar data\n":                     true,
		"tar -cf \"backups/$(date +%F).tar\" data # since 2026-11-28\n": false,
		"since=2020-01-01\ntar -cf backups/all.tar data\n":              false,
	} {
		if got := FixesDay(asked, is, is, now); got != want {
			t.Errorf("%s: %v, want %v", is, got, want)
		}
	}
}
