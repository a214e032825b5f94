package report

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"cookoff/trial"
)

// BenchmarkFold reads and folds a journal, beside the least that reading it
// could cost: encoding/json checking the same bytes. Compare the MB/s.
func BenchmarkFold(b *testing.B) {
	data, err := os.ReadFile(journal("mixed"))
	if err != nil {
		b.Fatal(err)
	}
	lines := bytes.SplitAfter(data, []byte("\n"))
	b.Run("fold", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		for b.Loop() {
			f := New()
			if _, err := trial.Read(bytes.NewReader(data), f.Emit); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("encoding-json-valid", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			for _, l := range lines {
				json.Valid(l)
			}
		}
	})
	b.Run("encoding-json-decode", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			for _, l := range lines {
				var e trial.Event
				_ = json.Unmarshal(l, &e)
			}
		}
	})
}

// BenchmarkReport makes the numbers and prints the table: what a terminal that
// shows a run live pays each time.
func BenchmarkReport(b *testing.B) {
	f := New()
	if _, err := trial.ReadFile(journal("repeats"), f.Emit); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		var out bytes.Buffer
		if err := Table(&out, f.Report(), Options{Width: 80}); err != nil {
			b.Fatal(err)
		}
	}
}
