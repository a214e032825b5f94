// Package stores reads what databases hold that are kept in one file: by row, whatever
// the bytes. It runs no program. A file that it can't read is none, and compared as bytes.
package stores

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strings"
	"unicode/utf16"

	"cookoff/internal/pattern"
)

// Is reports whether a file is called as stores are that are read.
func Is(name string) bool { return called.MatchString(name) }

var called = pattern.New(`\.(db|db3|sqlite|sqlite3)$`)

// Part is a table of a store, or what belongs to one.
type Part struct {
	Kind string                    // table, index, view, trigger, pragma, sequence
	SQL  string                    // by which it was made, of single spaces
	Rows map[[sha256.Size]byte]int // how often there is a row, by its digest

	// Values are how often there is a value in a column, by its digest; a table of many rows has none.
	Values []map[[sha256.Size]byte]int
}

// Bounds of what is read.
const (
	maxRows  = 200_000
	maxNamed = 20_000 // rows of a table whose columns are compared
	maxParts = 5000
)

// Read gives the parts of a store in SQLite's format by name; wal is the file beside it of
// that ending, if there is one.
func Read(file, wal []byte) (map[string]Part, bool) {
	f, ok := open(file, wal)
	if !ok {
		return nil, false
	}
	parts, rows := map[string]Part{}, 0
	ok = f.rows(1, func(_ int64, record []byte) bool {
		kind, name, root, sql, ok := f.schema(record)
		if !ok || len(parts) >= maxParts {
			return false
		}
		if name == "sqlite_sequence" && root != 0 {
			return f.rows(root, func(_ int64, record []byte) bool {
				if table, used := f.usedUp(record); used {
					parts["sequence "+table] = Part{Kind: "sequence", SQL: "used up"}
				}
				return true
			})
		}
		if strings.HasPrefix(name, "sqlite_") {
			return true
		}
		p := Part{Kind: kind, SQL: strings.Join(strings.Fields(sql), " "), Rows: map[[sha256.Size]byte]int{}}
		parts[name] = p
		if kind != "table" || root == 0 {
			return true // a virtual table has its rows in others
		}
		keyed, read := keys.MatchString(sql), 0
		ok = f.rows(root, func(id int64, record []byte) bool {
			if read++; read <= maxNamed {
				p.Values = count(p.Values, record)
			}
			if keyed {
				record = binary.BigEndian.AppendUint64(record[:len(record):len(record)], uint64(id))
			}
			p.Rows[sha256.Sum256(record)]++
			rows++
			return rows <= maxRows
		})
		if read > maxNamed {
			p.Values = nil
		}
		parts[name] = p
		return ok
	})
	if head := f.page(1); len(head) >= 100 {
		for name, at := range numbers {
			if n := binary.BigEndian.Uint32(head[at:]); n != 0 {
				parts["pragma "+name] = Part{Kind: "pragma", SQL: fmt.Sprint(n)}
			}
		}
	}
	return parts, ok
}

// count adds the values of a record to those of the columns.
func count(columns []map[[sha256.Size]byte]int, record []byte) []map[[sha256.Size]byte]int {
	header, n := varint(record)
	if n == 0 || header > uint64(len(record)) {
		return columns
	}
	for i, at, body := 0, uint64(n), header; at < header; i++ {
		t, n := varint(record[at:header])
		size := sizeOf(t)
		if n == 0 || size > uint64(len(record))-body {
			return columns
		}
		if i == len(columns) {
			columns = append(columns, map[[sha256.Size]byte]int{})
		}
		value := binary.BigEndian.AppendUint64(record[body:body+size:body+size], t)
		columns[i][sha256.Sum256(value)]++
		at, body = at+uint64(n), body+size
	}
	return columns
}

// Null is the digest of a value that is none.
var Null = sha256.Sum256(make([]byte, 8))

// Column is the name of a column of a table, as it is written down; "": it has none of that number.
func (p Part) Column(i int) string {
	_, list, _ := strings.Cut(p.SQL, "(")
	depth := 0
	names := strings.FieldsFunc(list, func(r rune) bool {
		switch r {
		case '(':
			depth++
		case ')':
			depth--
		}
		return r == ',' && depth == 0
	})
	if i >= len(names) {
		return ""
	}
	name, _, _ := strings.Cut(strings.TrimSpace(names[i]), " ")
	return strings.Trim(name, "\"`[]')")
}

// numbers are what programs keep in the head of a store for themselves, and where: 0 is none.
var numbers = map[string]int{"user_version": 60, "application_id": 68}

// keys is how a table may say that the number of a row is a column of it.
var keys = pattern.New(`(?is)\binteger\b.*\bprimary\s+key\b`)

// usedUp reads a record of the table of the numbers that were given to rows, and reports whether none are left: a
// table that counts its rows in words of 62 bits will never be full by itself.
func (f *file) usedUp(record []byte) (table string, used bool) {
	header, n := varint(record)
	if n == 0 || header < uint64(n) || header > uint64(len(record)) {
		return "", false
	}
	named, m := varint(record[n:header])
	at := header + sizeOf(named)
	if m == 0 || n+m >= len(record) || record[n+m] != 6 || at+8 > uint64(len(record)) {
		return "", false // 6: a number of eight bytes
	}
	return f.text(record[header:at]), int64(binary.BigEndian.Uint64(record[at:])) > 1<<62
}

// schema reads a record of the table of all parts.
func (f *file) schema(record []byte) (kind, name string, root int, sql string, ok bool) {
	header, n := varint(record)
	if n == 0 || header > uint64(len(record)) {
		return
	}
	var columns [5][]byte
	var types [5]uint64
	at, body := uint64(n), header
	for i := range columns {
		if at >= header {
			return
		}
		t, n := varint(record[at:header])
		size := sizeOf(t)
		if n == 0 || size > uint64(len(record))-body {
			return
		}
		types[i], columns[i] = t, record[body:body+size]
		at, body = at+uint64(n), body+size
	}
	for _, b := range columns[3] {
		root = root<<8 | int(b)
	}
	if types[3] == 9 {
		root = 1
	}
	return f.text(columns[0]), f.text(columns[1]), root, f.text(columns[4]), len(columns[3]) <= 4
}

// text decodes a text as the store has its texts: in UTF-8, or in UTF-16 of either order.
func (f *file) text(b []byte) string {
	var order binary.ByteOrder = binary.LittleEndian
	switch binary.BigEndian.Uint32(f.data[56:]) {
	case 2:
	case 3:
		order = binary.BigEndian
	default:
		return string(b)
	}
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = order.Uint16(b[2*i:])
	}
	return string(utf16.Decode(units))
}

// sizeOf is how many bytes a value of a type has.
func sizeOf(t uint64) uint64 {
	switch {
	case t < 5:
		return t
	case t == 5:
		return 6
	case t < 8:
		return 8
	case t < 12:
		return 0
	}
	return (t - 12) / 2
}

// varint reads a number; n is 0 where there is none.
func varint(b []byte) (v uint64, n int) {
	for n < len(b) && n < 8 {
		v = v<<7 | uint64(b[n]&0x7f)
		n++
		if b[n-1] < 0x80 {
			return v, n
		}
	}
	if n < len(b) && n == 8 {
		return v<<8 | uint64(b[8]), 9
	}
	return 0, 0
}
