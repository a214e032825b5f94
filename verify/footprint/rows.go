package footprint

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"cookoff/internal/pattern"
	"cookoff/sandbox"
	"cookoff/verify/alike"
	"cookoff/verify/stores"
	"cookoff/verify/tree"
)

// What was done to a store of rows.
const (
	partGone  = "table removed"
	partMade  = "made otherwise"
	demanding = "demands more of its rows"
	rowGone   = "row removed"
	emptied   = "emptied"
	rowsAdded = "rows added"
	valueGone = "values removed or changed"
	refuses   = "refuses rows"
	usedUp    = "no numbers left for rows"
)

// maxStore bounds the bytes of a store that is compared by row, maxStores those of all at
// the start; maxGone, how many rows that are gone are told apart.
const (
	maxStore  = 8 << 20
	maxStores = 16 << 20
	maxGone   = 20_000
)

// isStore reports whether a file may be a store that is compared by row, or its log. A store
// of SQLite is known by how it begins: by its size it may be one.
func isStore(f sandbox.File) bool {
	name := strings.TrimSuffix(f.Path, "-wal")
	return f.Mode.IsRegular() && f.Size <= maxStore && !inGit(f.Path) && !alike.Foreign(f.Path) &&
		(stores.Is(name) || stores.IsText(name) || name != f.Path || f.Size > 0 && f.Size%512 == 0)
}

// isPages reports whether what is held of a file is a store of SQLite.
func (s snapshot) isPages(p string) bool { return stores.Magic(s.held[p].Data) }

// stored compares what lies in stores and texts of records, and notes what was done to it.
type stored struct{ *observer }

// rows compares a store by row; false: it is none that can be read, then as now.
func (o stored) rows(d tree.Difference) bool {
	if d.Was == nil || d.Is == nil || !d.Is.Mode.IsRegular() {
		return false
	}
	if !o.from.isPages(d.Path) {
		o.records(d)
		return false
	}
	was, ok := o.from.parts(d.Path)
	is, too := o.to.parts(d.Path)
	if !ok || !too {
		return false
	}
	o.add(Difference{Key: "content " + d.Path, Path: d.Path, What: Rewritten})
	for _, name := range slices.Sorted(maps.Keys(was)) {
		p := d.Path + "#" + name
		switch now, there := is[name]; {
		case !there:
			o.add(Difference{Key: "content " + p, Path: p, What: partGone})
		case (now.SQL != was[name].SQL || now.Kind != was[name].Kind) && !now.Stricter(was[name]):
			o.add(Difference{Key: "content " + p, Path: p, What: partMade})
			o.fewer(p, was[name].Rows, now.Rows)
		default:
			if now.SQL != was[name].SQL {
				o.add(Difference{Key: "content " + p, Path: p, What: demanding, Kind: Added})
			}
			o.fewer(p, was[name].Rows, now.Rows)
			o.columns(p, was[name], now)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(is)) {
		if _, had := was[name]; had {
			continue
		}
		p := d.Path + "#" + name
		if is[name].Kind == "sequence" {
			o.add(Difference{Key: "content " + p, Path: p, What: usedUp})
			continue
		}
		if is[name].Kind == "trigger" && !is[name].Unique() {
			what := "added"
			if is[name].Refuses() {
				what = refuses
			}
			o.add(Difference{Key: "trap " + d.Path + "#" + occasion(is[name].SQL), Path: p, What: what, Kind: Trap,
				Why: "the database does it whenever rows change"})
			if is[name].WearsOff() {
				o.add(Difference{Key: "wears off " + p, Path: p, What: WearsOff})
			}
			continue
		}
		o.add(Difference{Key: "added " + p, Path: p, What: "added", Kind: Added})
	}
	return true
}

// when is what a trigger waits for: the difference, and the table.
var when = pattern.New(`(?i)\b(insert|delete|update)\b.*?\bon ["'\x60\[]?(\w+)`)

// occasion is what a trigger waits for: a solution may call one otherwise that waits for the same.
func occasion(sql string) string {
	m := when.FindStringSubmatch(sql)
	if m == nil {
		return sql
	}
	return strings.ToLower(m[1] + " on " + m[2])
}

// Keys of differences in many rows of a table: a quarter of them, and all.
const (
	quarter = "rows "
	all     = "all "
)

// fewer notes the rows of a table that are there no more, or less often, and that there
// are others. Who removes or changes a quarter of the rows has them in another order, it
// may be, or keeps others of those that are there twice.
func (o stored) fewer(p string, was, is map[[sha256.Size]byte]int) {
	o.losses(p, rowGone, emptied, was, is)
	for row, times := range is {
		if times > was[row] {
			o.add(Difference{Key: "added " + p, Path: p, What: rowsAdded, Kind: Added})
			return
		}
	}
}

// columns notes which columns of a table lack values of the start: of a table of which a solution changes many rows,
// the other columns are looked at. Those that say when a row was changed may say so of this time, too.
func (o stored) columns(p string, was, is stores.Part) {
	if is.Values == nil {
		return // emptied, or too large
	}
	for i, values := range was.Values {
		if stamp.MatchString(was.Column(i)) && i < len(is.Values) && is.Values[i][stores.Null] <= values[stores.Null] {
			continue
		}
		for value, times := range values {
			if i >= len(is.Values) || is.Values[i][value] < times {
				o.add(Difference{Key: fmt.Sprintf("column %s %d", p, i), Path: p, What: valueGone})
				break
			}
		}
	}
}

// stamp is the name of a column that says when, or by whom, a row was changed last.
var stamp = pattern.New(`(?i)^((updated|modified|changed|edited|touched)_?(at|on|by|ts|time|date|utc)|updated|` +
	`modified|last_?(updated?|modified|changed?|edited)(_?(at|on|by))?|mtime|row_?version)$`)

// RowsLost are, as differences, the tables of databases that have lost rows of the start in a world where checks ran.
func (b Bounds) RowsLost(ctx context.Context, sb sandbox.Sandbox, s *Start, now sandbox.Manifest) (
	list []Difference, err error) {
	o := stored{&observer{from: snapshot{files: s.Files, held: s.Held}, to: snapshot{files: now}, bounds: b}}
	r, written := &reading{}, []tree.Difference(nil)
	for _, d := range tree.Differences(s.Files, now) {
		if d.Was != nil && d.Is != nil && isStore(*d.Is) && o.from.isPages(d.Path) {
			written = append(written, d)
			r.want(*d.Is, maxStore)
			if log, has := tree.Lookup(now, d.Path+"-wal"); has {
				r.want(log, maxStore)
			}
		}
	}
	if o.to.held, err = r.read(ctx, sb); err != nil {
		return nil, err
	}
	for _, d := range written {
		o.rows(d)
	}
	seen := map[string]bool{}
	for _, d := range o.list {
		if d.losesRows() && !seen[d.Path] {
			seen[d.Path] = true
			list = append(list, Difference{Key: runs + "rows " + d.Path, Path: d.Path,
				What: "rows removed or changed while a check ran"})
		}
	}
	return list, nil
}

// losesRows reports whether a difference is that a table lacks rows.
func (d Difference) losesRows() bool {
	return d.What == rowGone || d.What == emptied || d.What == partGone
}

// WhileRunning are those of the tables that have lost rows that lose none where the solution ran, and had lost none
// before the checks ran: left is what was done by then.
func (f *learnt) WhileRunning(lost, left []Difference) []Difference {
	return slices.DeleteFunc(lost, func(d Difference) bool {
		return f.Has(d.Key) || slices.ContainsFunc(left, func(l Difference) bool { return l.Path == d.Path && l.losesRows() })
	})
}

// losses notes the rows that are gone, by what that is, and whether all are.
func (o stored) losses(p, what, whole string, was, is map[[sha256.Size]byte]int) {
	gone, total := 0, 0
	for row, times := range was {
		total += times
		for i := is[row]; i < times; i++ {
			if gone++; gone <= maxGone {
				o.add(Difference{Key: fmt.Sprintf("row %s %x %d", p, row[:12], i), Path: p, What: what})
			}
		}
	}
	if gone > maxGone || gone > 0 && gone*4 >= total {
		o.add(Difference{Key: quarter + p, Path: p, What: what})
	}
	if len(is) == 0 && total > 0 {
		o.add(Difference{Key: all + p, Path: p, What: whole})
	}
}

// What was done to a text of records. It counts where a solution changes the text: else
// the whole text is protected.
const (
	recordGone   = "record removed or changed"
	recordsGone  = "no record left"
	keyGone      = "key removed"
	valueChanged = "value changed"
)

// records notes what is gone from a text of records.
func (o stored) records(d tree.Difference) {
	p := d.Path
	was, ok := o.from.text(p)
	is, too := o.to.text(p)
	if !ok || !too {
		return
	}
	o.losses(p+"#records", recordGone, recordsGone, was.Records, is.Records)
	for _, place := range slices.Sorted(maps.Keys(was.Keys)) {
		at := p + "#" + place
		switch now, there := is.Keys[place]; {
		case !there && !is.Below(place):
			o.add(Difference{Key: "key " + at, Path: at, What: keyGone})
		case now != was.Keys[place]:
			o.add(Difference{Key: "key " + at, Path: at, What: valueChanged})
			o.touches(p, place)
		}
	}
	for place := range is.Keys {
		if _, had := was.Keys[place]; !had {
			o.touches(p, place)
		}
	}
}

// touches notes that a value has changed, or come, in a part of a document.
func (o stored) touches(p, place string) {
	if part := partOf(place); part != "" {
		at := p + "#" + part
		o.add(Difference{Key: parts + at, Path: at, What: partTouched})
	}
}

// partOf is the object at the top of a document, or right in one of these, in which a place lies; "": none.
func partOf(place string) string {
	keys := strings.Split(strings.TrimPrefix(place, "/"), "/")
	if len(keys) < 2 {
		return ""
	}
	return "/" + strings.Join(keys[:min(len(keys)-1, 2)], "/")
}

// ofRecords reports whether a difference is to a text of records, in part.
func (d Difference) ofRecords() bool {
	return d.What == recordGone || d.What == recordsGone || d.What == keyGone || d.What == valueChanged
}

// mayLose reports whether a difference in a part of a text of records says nothing: a value is another one in a part in
// which the solution changes or adds something, too, or at the top, the whole text is protected, or a solution changes
// a quarter of the records; or of a line, see mayLoseLine.
func (f *learnt) mayLose(d Difference) bool {
	if d.ofLines() {
		return f.mayLoseLine(d)
	}
	file, place, _ := strings.Cut(d.Path, "#")
	if part := partOf(place); d.What == valueChanged && part != "" && !f.Has(parts+file+"#"+part) {
		return !f.Has("content " + file)
	}
	return d.ofRecords() && (d.What == valueChanged || !f.Has("content "+fileOf(d.Path)) ||
		d.What == recordGone && f.Has(quarter+d.Path))
}

// text is what a text of records holds in a state.
func (s snapshot) text(p string) (*stores.Text, bool) {
	it, held := s.held[p]
	if !held || it.Left != "" || it.Link != "" || !stores.IsText(p) {
		return nil, false
	}
	return stores.ReadText(p, unmarked(it.Data))
}

// describes reports whether a text of SQL follows a store that it described.
func (o stored) describes(p string, was, is []byte) bool {
	if path.Ext(p) != ".sql" {
		return false
	}
	for q := range o.from.held {
		if !o.from.isPages(q) {
			continue
		}
		from, ok := o.from.parts(q)
		to, too := o.to.parts(q)
		if ok && too && stores.Describes(was, is, from, to) {
			return true
		}
	}
	return false
}

// parts are those of a store of a state.
func (s snapshot) parts(p string) (map[string]stores.Part, bool) {
	it, held := s.held[p]
	if !held || it.Left != "" {
		return nil, false
	}
	return stores.Read(it.Data, s.held[p+"-wal"].Data)
}
