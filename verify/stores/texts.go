package stores

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"cookoff/internal/pattern"
)

// Magic reports whether a file begins as a store of SQLite does, however it is called.
func Magic(data []byte) bool { return bytes.HasPrefix(data, magic) }

var magic = []byte("SQLite format 3\x00")

// IsText reports whether a file is called as texts are that hold records.
func IsText(name string) bool {
	base := strings.ToLower(path.Base(name))
	return records.MatchString(base) && !settings.MatchString(base)
}

var (
	records = pattern.New(`\.(csv|tsv|psv|jsonl|ndjson|json|ledger|journal)$|^(ledger|journal)(\.(txt|dat))?$`)
	// settings are documents of tools, which know what their keys mean.
	settings = pattern.New(
		`^(package(-lock)?|npm-shrinkwrap|[jt]sconfig.*|composer|deno|turbo|nx|lerna|biome|renovate|manifest|` +
			`tsconfig.*|jsconfig.*|\..*)\.json$|rc\.json$|^\.`)
)

// Text is what a text holds.
type Text struct {
	Records map[[sha256.Size]byte]int    // how often there is a record, by its digest
	Keys    map[string][sha256.Size]byte // of a document: digests of what stands outside of records, by place
}

// ReadText gives the records of a text that is called so; false: it can't be read as one.
func ReadText(name string, data []byte) (*Text, bool) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	t := &Text{Records: map[[sha256.Size]byte]int{}, Keys: map[string][sha256.Size]byte{}}
	switch path.Ext(strings.ToLower(name)) {
	case ".csv", ".tsv", ".psv":
		return t, t.table(data)
	case ".json":
		v, ok := decoded(data)
		if ok {
			t.document("", v)
		}
		return t, ok
	case ".jsonl", ".ndjson":
		for line := range bytes.Lines(data) {
			if v, ok := decoded(line); ok {
				t.record(v)
			} else {
				t.line(line)
			}
		}
	default:
		for line := range bytes.Lines(data) {
			t.line(line)
		}
	}
	return t, len(t.Records) <= maxRows
}

func decoded(data []byte) (v any, ok bool) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	return v, d.Decode(&v) == nil && !d.More()
}

// line takes a line as a record; one that says nothing is none.
func (t *Text) line(line []byte) {
	if line = bytes.TrimSpace(line); len(line) > 0 {
		t.Records[sha256.Sum256(line)]++
	}
}

// record takes a value, whatever the order of its keys.
func (t *Text) record(v any) {
	text, err := json.Marshal(v)
	if err == nil { // what was decoded can be written
		t.Records[sha256.Sum256(text)]++
	}
}

// table takes lines of fields, however they are quoted.
func (t *Text) table(data []byte) bool {
	first, _, _ := bytes.Cut(data, []byte("\n"))
	r := csv.NewReader(bytes.NewReader(data))
	r.FieldsPerRecord, r.LazyQuotes, r.ReuseRecord = -1, true, true
	most := 0
	for _, c := range ",\t;|" {
		if n := bytes.Count(first, []byte(string(c))); n > most {
			r.Comma, most = c, n
		}
	}
	for len(t.Records) <= maxRows {
		fields, err := r.Read()
		if errors.Is(err, io.EOF) {
			return true
		}
		if err != nil {
			return false
		}
		var b strings.Builder
		for _, f := range fields {
			b.WriteString(strconv.Quote(strings.TrimSpace(f)) + ",")
		}
		t.Records[sha256.Sum256([]byte(b.String()))]++
	}
	return false
}

// document takes a document apart: objects in lists are records, and what stands elsewhere
// has its place.
func (t *Text) document(at string, v any) {
	switch v := v.(type) {
	case map[string]any:
		for k, inner := range v {
			t.document(at+"/"+k, inner)
		}
		if len(v) > 0 {
			return
		}
	case []any:
		if len(v) > 0 && !slices.ContainsFunc(v, func(e any) bool { _, is := e.(map[string]any); return !is }) {
			for _, e := range v {
				t.record(e)
			}
			return
		}
	}
	if text, err := json.Marshal(v); err == nil {
		t.Keys[at] = sha256.Sum256(text)
	}
}

// Below reports whether a document has something below a place: then that has
// not gone, it holds something else.
func (t *Text) Below(place string) bool {
	for at := range t.Keys {
		if strings.HasPrefix(at, place+"/") {
			return true
		}
	}
	return false
}
