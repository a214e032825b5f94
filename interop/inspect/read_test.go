package inspect

import (
	"archive/zip"
	"bytes"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"cookoff/internal/oneline"
	"cookoff/interop/interoptest"
	"cookoff/report"
	"cookoff/trial"
)

// verdicts are what became of each trial.
func verdicts(r *report.Report) map[string]string {
	out := map[string]string{}
	for _, t := range r.Trials {
		o := t.Outcome
		out[fmt.Sprint(t.Model, " ", t.Task, " ", t.N)] = fmt.Sprint(o.Status, " ", o.Cause, " ", o.Stop,
			" ", o.Steps, " ", o.Usage)
	}
	return out
}

// What is written is read again as it was.
func TestRoundTrip(t *testing.T) {
	for _, journal := range []string{"../testdata/talk.jsonl", "../../testdata/journals/mixed.jsonl"} {
		was, dir := interoptest.Run(t, journal), t.TempDir()
		w, err := NewWriter(dir, "1", was)
		if err != nil {
			t.Fatal(err)
		}
		interoptest.Trials(t, journal, was, w.Trial)
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		b := report.New()
		if !Is(dir) {
			t.Fatal("it is no directory of logs")
		}
		if err := Read(dir, b.Emit); err != nil {
			t.Fatal(err)
		}
		is := b.Report()
		if diff := cmp.Diff(verdicts(was), verdicts(is)); diff != "" {
			t.Errorf("%s:\n%s", journal, diff)
		}
		if is.Run.Digest != was.Run.Digest || is.Run.Recipe != was.Run.Recipe {
			t.Errorf("the recipe was %s %s, and is %s %s", was.Run.Recipe, was.Run.Digest, is.Run.Recipe, is.Run.Digest)
		}
	}
}

// packed makes a log of members, NAME and content in turn.
func packed(t testing.TB, method uint16, members ...string) string {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(members); i += 2 {
		text := []byte(members[i+1])
		h := &zip.FileHeader{Name: members[i], Method: zip.Deflate}
		if method == zstandard {
			e, err := zstd.NewWriter(nil)
			if err != nil {
				t.Fatal(err)
			}
			h.Method, h.UncompressedSize64 = zstandard, uint64(len(text))
			plain := text
			text = e.EncodeAll(text, nil)
			h.CompressedSize64, h.CRC32 = uint64(len(text)), crc32.ChecksumIEEE(plain)
			w, err := z.CreateRaw(h)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := w.Write(text); err != nil {
				t.Fatal(err)
			}
			continue
		}
		w, err := z.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(text); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a.eval")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

var headText = oneline.Of(`{"version":2,"status":"success",
	"eval":{"run_id":"r","task":"demo","model":"m","created":"2026-01-01T00:00:00+00:00"},
	"results":{"scores":[{"name":"match"}]}}`)

func TestOthersLogs(t *testing.T) {
	samples := `[
		{"id":1,"epoch":1,"scores":{"match":{"value":"C"}},
			"model_usage":{"m":{"input_tokens":4,"input_tokens_cache_read":11,"output_tokens":9}}},
		{"id":"b","epoch":1,"scores":{"match":{"value":"P"}}},
		{"id":"c","epoch":1,"scores":{},"error":"boom\nand more"},
		{"id":"d","epoch":1,"scores":{"match":{"value":0.0}},"limit":"token"}]`
	for name, path := range map[string]string{
		"deflate": packed(t, zip.Deflate, "header.json", headText, "summaries.json", samples),
		"zstd":    packed(t, zstandard, "header.json", headText, "summaries.json", samples),
		"cut off": packed(t, zip.Deflate, "_journal/start.json", headText, "_journal/summaries/1.json", samples),
		"json":    plain(t, strings.Replace(headText, `"results"`, `"samples":`+samples+`,"results"`, 1)),
	} {
		b := report.New()
		if !Is(path) {
			t.Fatalf("%s: it is no log", name)
		}
		if err := Read(path, b.Emit); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		r := b.Report()
		m := r.Models[0]
		if m.Pass != 1 || m.Fail != 2 || m.Void != 1 || r.Trials[0].Task != "1" ||
			r.Trials[0].Outcome.Usage.Input != 15 ||
			r.Trials[3].Outcome.Cause != trial.CauseLimit {
			t.Errorf("%s: %+v %+v", name, m, r.Trials)
		}
		if all := strings.Join(r.Run.Warnings, "\n"); !strings.Contains(all,
			"between I and C, which count as not fixed: 1") {
			t.Errorf("%s: %s", name, all)
		}
	}
}

// A log that was gone on with, and the one that did: what stands in both is one trial,
// and what broke there and not here is none. A score by another name is refused.
func TestRetriedLogs(t *testing.T) {
	dir := t.TempDir()
	put := func(name, created, samples string) {
		head := strings.Replace(strings.Replace(headText, "2026-01-01", created, 1), `"task":"demo"`,
			`"task":"demo","task_id":"x"`, 1)
		if err := os.Rename(packed(t, zip.Deflate, "header.json", head, "summaries.json", samples),
			filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	put("b.eval", "2026-01-02",
		`[
			{"id":1,"epoch":1,"uuid":"u1","scores":{"match":{"value":"C"}}},
			{"id":2,"epoch":1,"uuid":"u2","scores":{"match":{"value":"C"}}},
			{"id":3,"epoch":1,"uuid":"u4","scores":{"match":{"value":"I"}}}]`)
	put("a.eval", "2026-01-01",
		`[
			{"id":1,"epoch":1,"uuid":"u1","scores":{"match":{"value":"C"}}},
			{"id":2,"epoch":1,"uuid":"u2","scores":{"match":{"value":"C"}}},
			{"id":3,"epoch":1,"uuid":"u3","scores":{},"error":"boom"}]`)
	b := report.New()
	if err := Read(dir, b.Emit); err != nil {
		t.Fatal(err)
	}
	if m := b.Report().Models[0]; m.Pass != 2 || m.Fail != 1 || m.Void != 0 {
		t.Errorf("%+v", m)
	}
	other := plain(t, strings.Replace(headText, `"results"`,
		`"samples":[{"id":1,"epoch":1,"scores":{"my":{"value":{"correct":1}}}}],"results"`, 1))
	if err := Read(other, report.New().Emit); err == nil || !strings.Contains(err.Error(),
		`it has no score "match" (but my)`) {
		t.Errorf("another score: %v", err)
	}
}

func plain(t *testing.T, text string) string {
	path := filepath.Join(t.TempDir(), "a.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// What is meant to harm is refused, in a bounded memory.
func TestHostileLogs(t *testing.T) {
	all := map[string]string{
		"more than 8 MiB": packed(t, zip.Deflate, "header.json",
			headText[:len(headText)-1]+strings.Repeat(" ", maxPart)+"}"),
		"neither header.json": packed(t, zip.Deflate, "../../etc/passwd", "x"),
		"it holds no samples": packed(t, zip.Deflate, "header.json", headText),
		"neither C, I, P nor N": packed(t, zip.Deflate, "header.json", headText, "summaries.json",
			`[{"id":"a","scores":{"match":{"value":"good"}}}]`),
		"not from 0 to 1": packed(t, zip.Deflate, "header.json", headText, "summaries.json",
			`[{"id":"a","scores":{"match":{"value":7}}}]`),
		"neither a letter": packed(t, zip.Deflate, "header.json", headText, "summaries.json",
			`[{"id":"a","scores":{"match":{"value":{"a":1}}}}]`),
		"no log of Inspect: zip":   crowd(t),
		"more than 256 MiB is not": hole(t),
		"ends what did not begin":  plain(t, `{"version":2,"status":"success","samples":[}]}`),
		"unexpected EOF":           plain(t, `{"version":2,"status":"success","samples":[{"id":"`),
	}
	if !testing.Short() { // the detector of races takes half a minute for so many bytes
		all["of more than 64 MiB"] = packed(t, zip.Deflate, "header.json", headText, "summaries.json",
			"["+strings.Repeat(" ", maxSummaries+1))
		all["of a sample has more than 8"] = packed(t, zip.Deflate, "header.json", headText, "summaries.json",
			`[{"id":"`+strings.Repeat("x", maxPart)+`"}]`)
	}
	for want, path := range all {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := Read(path, func(trial.Event) error { return nil })
		runtime.ReadMemStats(&after)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
		if grown := after.TotalAlloc - before.TotalAlloc; grown > 3*maxSummaries {
			t.Errorf("%q took %d MiB", want, grown>>20)
		}
	}
}

// crowd is a zip whose list of members is no list.
func crowd(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "a.eval")
	if err := os.WriteFile(path, bytes.Repeat([]byte("PK\x01\x02"), 1<<18), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// hole is a large file that takes no room.
func hole(t *testing.T) string {
	path := plain(t, "{")
	if err := os.Truncate(path, 1<<30); err != nil {
		t.Fatal(err)
	}
	return path
}
