package inspect

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"cookoff/internal/oneline"
	"cookoff/trial"
)

// bomb is a log of which a member unpacks into a gigabyte of spaces behind what it begins with.
func bomb(t *testing.T, method uint16, name, begins string, others ...string) string {
	t.Helper()
	var data bytes.Buffer
	w, err := zstd.NewWriter(&data, zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		t.Fatal(err)
	}
	spaces := []byte(strings.Repeat(" ", 1<<20))
	_, err = w.Write([]byte(begins))
	for range 1 << 10 {
		if err == nil {
			_, err = w.Write(spaces)
		}
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(packed(t, zip.Deflate, others...))
	if err != nil {
		t.Fatal(err)
	}
	old, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a.eval")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z := zip.NewWriter(f)
	for _, m := range old.File {
		if err := z.Copy(m); err != nil {
			t.Fatal(err)
		}
	}
	// it lies
	h := &zip.FileHeader{Name: name, Method: method, CompressedSize64: uint64(data.Len()), UncompressedSize64: 2}
	at, err := z.CreateRaw(h)
	if err == nil {
		_, err = at.Write(data.Bytes())
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// overlapping is a log with thousands of members that are all the same bytes of the file.
func overlapping(t *testing.T) string {
	t.Helper()
	path := packed(t, zip.Deflate, "header.json", headText, "_journal/summaries/1.json", "["+strings.Repeat(" ", 1<<20))
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	end := bytes.LastIndex(text, []byte("PK\x05\x06"))
	list := int(binary.LittleEndian.Uint32(text[end+16:]))
	last := list + bytes.LastIndex(text[list:end], []byte("PK\x01\x02"))
	entry := text[last:end]
	const most = 50_000
	out := append([]byte(nil), text[:end]...)
	for range most {
		out = append(out, entry...)
	}
	tail := append([]byte(nil), text[end:]...)
	binary.LittleEndian.PutUint16(tail[8:], most+2)
	binary.LittleEndian.PutUint16(tail[10:], most+2)
	binary.LittleEndian.PutUint32(tail[12:], uint32(len(out)-list))
	if err := os.WriteFile(path, append(out, tail...), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestBombs: small files that would be large, in the ways that packing has, are refused, and
// no more of them is ever in memory than of a log that is read.
func TestBombs(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: a gigabyte is packed")
	}
	head := []string{"header.json", headText}
	for name, path := range map[string]string{
		"a header":                   bomb(t, zstandard, "header.json", "{", "summaries.json", "[]"),
		"summaries":                  bomb(t, zstandard, "summaries.json", "[", head...),
		"one sample":                 bomb(t, zstandard, "summaries.json", `[{"id":1,"messages":"`, head...),
		"a journal":                  bomb(t, zstandard, "_journal/summaries/1.json", "[", head...),
		"packed as something else":   bomb(t, zip.Deflate, "summaries.json", "[", head...),
		"a method that nobody knows": bomb(t, 77, "summaries.json", "[", head...),
		"members over one another":   overlapping(t),
		"depth": packed(t, zip.Deflate, "header.json", headText, "summaries.json",
			"["+strings.Repeat("[", 8<<20)),
		"depth of a sample": packed(t, zip.Deflate, "header.json", headText, "summaries.json",
			`[{"id":`+strings.Repeat("[", 4<<20)),
		"names of one object": packed(t, zip.Deflate, "header.json", "{"+strings.Repeat(`"a":1,`, 1<<20)+`"b":1}`,
			"summaries.json", "[]"),
	} {
		t.Run(name, func(t *testing.T) {
			runtime.GC()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := Read(path, func(trial.Event) error { return nil })
			runtime.ReadMemStats(&after)
			if err == nil || len(err.Error()) > 500 {
				t.Errorf("it was read, or says too much: %.600v", fmt.Sprint(err))
			}
			if grown := after.TotalAlloc - before.TotalAlloc; grown > 4*maxSummaries {
				t.Errorf("it took %d MiB: %v", grown>>20, err)
			}
		})
	}
}

// FuzzLog: whatever the members of a log hold, it is read or refused, and what is read is
// verdicts.
func FuzzLog(f *testing.F) {
	f.Add(headText, `[{"id":1,"epoch":1,"scores":{"match":{"value":"C"}},"limit":"token"},{"id":"b","error":"boom"}]`)
	f.Add(headText,
		oneline.Of(`[
			{"id":1,"uuid":"u","metadata":{"task":"x","outcome":"void"},
				"model_usage":{"m":{"input_tokens":-4}},"total_time":1e400}]`))
	f.Add(headText, `[{"id":1,"uuid":"u","metadata":{"task":"x","outcome":"void"},"total_time":-1,`+
		`"model_usage":{"m":{"input_tokens":-4,"total_cost":-1},"n":{"output_tokens":-9223372036854775807}}}]`)
	f.Add(strings.Replace(headText, "{", `{"stats":{"model_usage":{"m":{"output_tokens":1e99}}},`, 1),
		`[{"id":{},"epoch":0}]`)
	f.Fuzz(func(t *testing.T, head, samples string) {
		seen := 0
		err := Read(packed(t, zip.Deflate, "header.json", head, "summaries.json", samples), func(e trial.Event) error {
			if o := e.Outcome; o != nil {
				seen++
				if u := o.Usage; o.Status == "" || o.Steps < 0 || u.Input < 0 || u.Output < 0 || u.Cached < 0 ||
					o.CostUSD != nil && *o.CostUSD < 0 || o.Seconds.Agent < 0 {
					t.Errorf("%+v", o)
				}
			}
			return nil
		})
		if err == nil && seen == 0 {
			t.Errorf("it was read, and held nothing")
		}
	})
}
