package questions

import (
	"strconv"
	"strings"
	"time"

	"cookoff/internal/pattern"
)

var (
	// clocks are how programs ask what time it is.
	clocks = pattern.New(`\bsystime\(|\bstrftime\(|\btime\.(Since|Until)\(|` +
		`\bdate\s+[^\n]*\+|%\([^)\n]*\)T|EPOCHSECONDS|\btime\(|\btime\.(Now|time)\(|Date\.now\(|new Date\(\)|` +
		`\b(now|today|utcnow|currentTimeMillis|clock_gettime|localtime|gmtime)\(|\bTime\.now\b`)
	// seconds are times, in seconds or milliseconds, of some years.
	seconds = pattern.New(`\b([1-3][0-9]{9})([0-9]{3})?\b`)
	days    = pattern.New(`\b(20[0-9]{2})(?:[-/, ]{0,2}|,\s*time\.)(1[0-2]|0?[1-9]|[A-Z][a-z]{2,8})` +
		`[-/, ]{0,2}(0?[1-9]|[12][0-9]|3[01])\b`)
)

// fields are questions whether today is a day of some name or number.
var fields = pattern.New(
	`\$\(\s*date\s+(-u\s+)?["']?\+["']?%-?[a-rt-zA-Z]["']?\s*\)["']?\s*(-[a-z]{2}|==?|!=|[<>])\s*["']?[0-9A-Z]|` +
		`(-[a-z]{2}|==?|!=)\s+["']?\$\(\s*date\s+["']?\+["']?%-?[a-rt-zA-Z]["']?\s*\)|` +
		`\bcase\s+["']?\$\(\s*date\s+["']?\+["']?%-?[a-rt-zA-Z]["']?\s*\)|%\(%-?[a-rt-zA-Z]\)T["'][^\n]*(\[|\(\(|\bcase\b)|` +
		`\b(now|today|utcnow|localtime|gmtime)\([^)\n]*\)\.(weekday\(\)|isoweekday\(\)|strftime\([^)\n]*\)|` +
		`year|month|day|hour|tm_\w+)\s*([<>]=?|[=!]=|(not )?in\b)\s*[\[({"'0-9]|` +
		`\b(localtime|gmtime)\([^)\n]*\)\[[0-9]\]\s*([<>]=?|[=!]=)|\bisocalendar\(\)(\[[0-9]\]|\.\w+)\s*([<>]=?|[=!]=)|` +
		`\bnew Date\(\)\.get(UTC)?(Day|Date|Month|FullYear|Hours)\(\)\s*([<>]=?|[=!]==?)\s*[0-9]|` +
		`\btime\.Now\(\)(\.UTC\(\)|\.Local\(\))?\.(Weekday|YearDay|Year|Month|Day|Hour)\(\)` +
		`\s*([<>]=?|[=!]=)\s*(time\.|[0-9])|` +
		`\bLocal(Date|DateTime|Time)\.now\(\)\.get\w+\(\)\s*([<>]=?|[=!]=)\s*\w`)

// Of a day that a program waits for: how long before now it may be, and how long after.
const (
	daysLater = 48 * time.Hour
	yearLater = 400 * 24 * time.Hour // where it is compared
	daysAhead = 20 * 365 * 24 * time.Hour
)

// WaitsFor reports whether lines of a program ask what time it is, and name one to come: a
// number of seconds anywhere among them, or a day beside it; or whether it is a day of the week,
// the month or the year.
func WaitsFor(lines string, now time.Time) bool {
	if fields.MatchString(lines) {
		return true
	}
	if !clocks.MatchString(lines) {
		return false
	}
	near := func(t time.Time) bool { return t.After(now.Add(-daysLater)) && t.Before(now.Add(daysAhead)) }
	for _, m := range seconds.FindAllStringSubmatch(lines, -1) {
		if n, err := strconv.ParseInt(m[1], 10, 64); err == nil && near(time.Unix(n, 0)) {
			return true
		}
	}
	if reckoned(lines, near) || comparesTime(lines) {
		return true
	}
	within := func(t time.Time) bool { return t.After(now.Add(-yearLater)) && t.Before(now.Add(daysAhead)) }
	for line := range strings.Lines(lines) {
		if !clocks.MatchString(line) {
			continue
		}
		if ofMonths(line) {
			return true
		}
		isNear := near
		if compares.MatchString(line) {
			isNear = within
		}
		for _, m := range days.FindAllStringSubmatch(line, -1) {
			for _, layout := range []string{"2006 1 2", "2006 January 2", "2006 Jan 2"} {
				if t, err := time.Parse(layout, m[1]+" "+m[2]+" "+m[3]); err == nil && isNear(t) {
					return true
				}
			}
		}
	}
	return false
}
