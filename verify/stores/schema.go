package stores

import (
	"maps"
	"slices"
	"strings"

	"cookoff/internal/pattern"
)

var (
	remarks  = pattern.New(`(?m)--[^\n]*$`)
	beside   = pattern.New(`(?im)^\s*(pragma\b[^;]*|begin( transaction)?|commit|end)\s*;`)
	creating = pattern.New(`(?i)\bcreate\s+(temp(orary)?\s+|unique\s+)?(table|index|view|trigger)\b`)
	spared   = pattern.New(`(?i)\bif not exists\b|["\x60;\[\]]`)
	around   = pattern.New(`\s*([(),<>=])\s*`)
	own      = pattern.New(`(?i)^create table sqlite_`)
)

// Describes reports whether a text of SQL that says how parts of a store are made has come to say how they are made
// now: all that it says of new is so in the store, and what it no longer says is so no more. It says nothing else.
func Describes(was, now []byte, from, to map[string]Part) bool {
	before, told := statements(string(was))
	after, tells := statements(string(now))
	made, makes := sources(from), sources(to)
	if !told || !tells || !slices.ContainsFunc(before, func(s string) bool { return made[s] }) {
		return false
	}
	for _, s := range after {
		if !makes[s] && !slices.Contains(before, s) {
			return false
		}
	}
	return !slices.ContainsFunc(before, func(s string) bool { return makes[s] && !slices.Contains(after, s) })
}

// statements are those of a text that make parts of a store; false: it has others.
func statements(text string) (list []string, only bool) {
	text = beside.ReplaceAllString(remarks.ReplaceAllString(text, ""), "")
	at := creating.FindAllStringIndex(text, -1)
	if len(at) == 0 || strings.TrimSpace(text[:at[0][0]]) != "" {
		return nil, false
	}
	for i, begin := range at {
		end := len(text)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		if s := plain(text[begin[0]:end]); !own.MatchString(s) {
			list = append(list, s)
		}
	}
	return list, true
}

// plain is a statement without what means nothing.
func plain(sql string) string {
	sql = around.ReplaceAllString(spared.ReplaceAllString(sql, " "), "$1")
	return strings.ToLower(strings.Join(strings.Fields(sql), " "))
}

func sources(parts map[string]Part) map[string]bool {
	out := map[string]bool{}
	for p := range maps.Values(parts) {
		out[plain(p.SQL)] = true
	}
	return out
}

var (
	refusal = pattern.New(`(?is)^\s*select\b[^;]*\braise\s*\(\s*(abort|fail|rollback)\b[^;]*$`)
	asks    = pattern.New(`(?i)\b(new|old)\s*\.`)
	occurs  = pattern.New(`(?is)\b(insert|update)\b.*?\bon\b.*?\bbegin\b(.*)\bend\b`)
	// bySize compares how many rows there are, or their numbers, with a number that is written down.
	bySize = pattern.New(`(?is)\bcount\s*\([^)]*\)[^;]{0,40}?[<>]=?\s*[0-9]{2}|\b(row)?id\s*[<>]=?\s*[0-9]|` +
		`'now'|\bcurrent_`)
)

// Refuses reports whether a trigger does nothing but refuse rows by what is in them, as a CHECK of a table does.
func (p Part) Refuses() bool {
	m := occurs.FindStringSubmatch(p.SQL)
	if p.Kind != "trigger" || m == nil || !asks.MatchString(p.SQL) || bySize.MatchString(p.SQL) {
		return false
	}
	for s := range strings.SplitSeq(m[2], ";") {
		if strings.TrimSpace(s) != "" && !refusal.MatchString(s) {
			return false
		}
	}
	return true
}

// WearsOff reports whether a part does otherwise when there are more rows, or at another time.
func (p Part) WearsOff() bool {
	return p.Kind == "trigger" && bySize.MatchString(p.SQL)
}
