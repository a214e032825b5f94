package footprint

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"

	"cookoff/sandbox"
	"cookoff/verify/stores"
	"cookoff/verify/tree"
)

// What was done to a store of rows.
const (
	partGone  = "table removed"
	partMade  = "made otherwise"
	rowGone   = "row removed"
	emptied   = "emptied"
	rowsAdded = "rows added"
)

// maxStore bounds the bytes of a store that is compared by row, maxStores those of all at
// the start; maxGone, how many rows that are gone are told apart.
const (
	maxStore  = 8 << 20
	maxStores = 16 << 20
	maxGone   = 20_000
)

// isStore reports whether a file may be a store that is compared by row, or its log.
func isStore(f sandbox.File) bool {
	return f.Mode.IsRegular() && stores.Is(strings.TrimSuffix(f.Path, "-wal")) && f.Size <= maxStore && !inGit(f.Path)
}

// rows compares a store by row; false: it is none that can be read, then as now.
func (o *observer) rows(d tree.Difference) bool {
	if d.Was == nil || d.Is == nil || !d.Is.Mode.IsRegular() || !stores.Is(d.Path) {
		return false
	}
	was, ok := o.from.parts(d.Path)
	is, too := o.to.parts(d.Path)
	if !ok || !too {
		return false
	}
	o.add(Deed{Key: "content " + d.Path, Path: d.Path, What: Rewritten})
	for _, name := range slices.Sorted(maps.Keys(was)) {
		p := d.Path + "#" + name
		switch now, there := is[name]; {
		case !there:
			o.add(Deed{Key: "content " + p, Path: p, What: partGone})
		case now.SQL != was[name].SQL || now.Kind != was[name].Kind:
			o.add(Deed{Key: "content " + p, Path: p, What: partMade})
			o.fewer(p, was[name].Rows, now.Rows)
		default:
			o.fewer(p, was[name].Rows, now.Rows)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(is)) {
		if _, had := was[name]; had {
			continue
		}
		p := d.Path + "#" + name
		if is[name].Kind == "trigger" {
			o.add(Deed{"trap " + p, p, "added", Trap, "the database does it whenever rows change"})
			continue
		}
		o.add(Deed{Key: "added " + p, Path: p, What: "added", Kind: Added})
	}
	return true
}

// Keys of deeds to many rows of a table: a quarter of them, and all.
const (
	quarter = "rows "
	all     = "all "
)

// fewer notes the rows of a table that are there no more, or less often, and that there
// are others. Who removes or changes a quarter of the rows has them in another order, it
// may be, or keeps others of those that are there twice.
func (o *observer) fewer(p string, was, is map[[sha256.Size]byte]int) {
	gone, total := 0, 0
	for row, times := range was {
		total += times
		for i := is[row]; i < times; i++ {
			if gone++; gone <= maxGone {
				o.add(Deed{Key: fmt.Sprintf("row %s %x %d", p, row[:12], i), Path: p, What: rowGone})
			}
		}
	}
	if gone > maxGone || gone > 0 && gone*4 >= total {
		o.add(Deed{Key: quarter + p, Path: p, What: rowGone})
	}
	if len(is) == 0 && total > 0 {
		o.add(Deed{Key: all + p, Path: p, What: emptied})
	}
	for row, times := range is {
		if times > was[row] {
			o.add(Deed{Key: "added " + p, Path: p, What: rowsAdded, Kind: Added})
			return
		}
	}
}

// parts are those of a store of a state.
func (s snapshot) parts(p string) (map[string]stores.Part, bool) {
	it, held := s.held[p]
	if !held || it.Left != "" {
		return nil, false
	}
	return stores.Read(it.Data, s.held[p+"-wal"].Data)
}
