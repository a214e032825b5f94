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

// unique is a trigger that refuses a row of which the table has one of the same value, whatever its case, as a unique
// index does; spaces are as plain leaves them.
var (
	unique = pattern.New(`^create trigger (\S+) before (insert|update(?: of [\w,]+)?) on (\w+) ` +
		`(?:for each row )?when exists\(select (?:1|\*|id|\w+) from (\w+)(?: as)?(?: \w+)? where ` +
		`([^();]*(?:\([^();]*\)[^();]*)*)\)` +
		`begin select raise\((?:abort|fail|rollback),'[^']*'\) ?end$`)
	equal = pattern.New(`^(?:(lower|upper|trim)\((?:\w+\.)?(\w+)\)=(lower|upper|trim)\(new\.(\w+)\)|` +
		`(?:\w+\.)?(\w+)=new\.(\w+))(?: collate nocase)?$`)
	another = pattern.New(`^(?:\w+\.)?(?:row)?id(?:<>|!=| is not )new\.(?:row)?id$`)
)

// Unique reports whether a trigger does no more than a unique index of some columns would do.
func (p Part) Unique() bool {
	m := unique.FindStringSubmatch(begun.ReplaceAllString(plain(p.SQL), "${1}begin "))
	if p.Kind != "trigger" || m == nil || m[3] != m[4] {
		return false
	}
	same := 0
	for term := range strings.SplitSeq(m[5], " and ") {
		if e := equal.FindStringSubmatch(term); e != nil && e[1] == e[3] && e[2] == e[4] && e[5] == e[6] {
			same++
		} else if !another.MatchString(term) {
			return false
		}
	}
	return same > 0
}

var (
	begun = pattern.New(`(\)) ?begin `)
	// columns are the words of a statement that makes a table, up to its columns.
	columns = pattern.New(`^create table (\S+)\((.*)\)$`)
	// constraint is what a column, or a table, may have come to demand of rows: what a unique index demands, that
	// there is a value, and that it is not empty.
	constraint = pattern.New(` not null\b| unique\b(?: collate nocase\b)?| collate nocase unique\b|` +
		` ?check\((?:\w+<>''|\w+!=''|length\((?:\w+|trim\(\w+\))\)>0|trim\(\w+\)<>'')\)`)
	together = pattern.New(`,unique\([\w,]+\)`)
)

// Stricter reports whether a table is made as it was, but for constraints that it had not: the same columns in the same
// order, of which values are demanded, or each of them once. Rows that such a table has lost are seen in its rows.
func (p Part) Stricter(was Part) bool {
	old, now := columns.FindStringSubmatch(plain(was.SQL)), columns.FindStringSubmatch(plain(p.SQL))
	if p.Kind != "table" || was.Kind != "table" || old == nil || now == nil || old[1] != now[1] {
		return false
	}
	loose := func(list string) string {
		return constraint.ReplaceAllString(together.ReplaceAllString(list, ""), "")
	}
	return loose(old[2]) == loose(now[2]) && keeps(old[2], now[2])
}

// keeps reports whether all words that say how columns were made are there still, in the same order.
func keeps(was, is string) bool {
	words := strings.FieldsFunc(is, between)
	for word := range strings.FieldsFuncSeq(was, between) {
		at := slices.Index(words, word)
		if at < 0 {
			return false
		}
		words = words[at+1:]
	}
	return true
}

func between(r rune) bool { return strings.ContainsRune(" ,()", r) }
