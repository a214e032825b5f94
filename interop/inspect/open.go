package inspect

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"

	"cookoff/interop/imported"
)

// What is read of a log at most, in bytes.
const (
	maxIndex     = 64 << 20  // of the list of a zip's members
	maxSummaries = 64 << 20  // of samples, unpacked
	maxJSON      = 256 << 20 // of a log that is one JSON value
	maxPart      = 8 << 20   // of a header, or of what is kept of one sample
)

// zstandard is the method by which Inspect packs members of a zip.
const zstandard = 93

// readLog reads a log without what was said in it.
func readLog(path string) (*content, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, errors.New("it is no regular file")
	}
	c := &content{file: path}
	if !strings.HasSuffix(path, ".eval") {
		return c, c.whole(f, st.Size())
	}
	index := &budget{r: f, left: maxIndex}
	z, err := zip.NewReader(index, st.Size())
	if err != nil {
		return nil, fmt.Errorf("it is no log of Inspect: %w", err)
	}
	index.left = -1
	z.RegisterDecompressor(zstandard, unpack)
	return c, c.packed(z)
}

// budget is a ReaderAt that gives so many bytes and no more; below 0: all.
type budget struct {
	r    io.ReaderAt
	left int64
}

func (b *budget) ReadAt(p []byte, off int64) (int, error) {
	if b.left >= 0 {
		if b.left -= int64(len(p)); b.left < 0 {
			return 0, fmt.Errorf("its list of members has more than %d MiB, which is not read", maxIndex>>20)
		}
	}
	return b.r.ReadAt(p, off)
}

func unpack(r io.Reader) io.ReadCloser {
	d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(32<<20))
	if err != nil {
		return io.NopCloser(failing{err})
	}
	return d.IOReadCloser()
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// packed reads the members of a log: the header, and the summaries of samples. One
// that broke off has a journal of them.
func (c *content) packed(z *zip.Reader) error {
	var head *zip.File
	var summaries, journal []*zip.File
	for _, f := range z.File {
		switch {
		case f.Name == "header.json", f.Name == "_journal/start.json" && head == nil:
			head = f
		case f.Name == "summaries.json":
			summaries = append(summaries, f)
		case strings.HasPrefix(f.Name, "_journal/summaries/"):
			journal = append(journal, f)
		}
	}
	if head == nil {
		return errors.New("it is no log of Inspect: it has neither header.json nor _journal/start.json")
	}
	if err := member(head, maxPart, c); err != nil {
		return err
	}
	if len(summaries) == 0 {
		summaries = journal
		slices.SortFunc(summaries, func(a, b *zip.File) int { // 2.json before 10.json
			return cmpLength(a.Name, b.Name)
		})
	}
	left := int64(maxSummaries)
	for _, f := range summaries {
		n, err := c.summaries(f, left)
		if err != nil {
			return fmt.Errorf("reading %.80q: %w", f.Name, err)
		}
		left -= n
	}
	return nil
}

// summaries reads a member that is a list of samples, one by one.
func (c *content) summaries(f *zip.File, most int64) (read int64, err error) {
	r, err := f.Open()
	if err != nil {
		return 0, err
	}
	defer r.Close()
	limited := &io.LimitedReader{R: r, N: most}
	err = c.list(newSplitter(limited))
	if err != nil && limited.N <= 0 {
		err = fmt.Errorf("samples of more than %d MiB are not read", maxSummaries>>20)
	}
	return most - limited.N, err
}

// list reads a list of samples, one by one. Of each no more is kept than counts.
func (c *content) list(s splitter) error {
	return s.list(func(raw []byte) error {
		one, err := readSample(raw)
		if err != nil {
			return err
		}
		if c.samples = append(c.samples, one); len(c.samples) > imported.Most {
			return fmt.Errorf("it holds more than %d samples", imported.Most)
		}
		return nil
	})
}

// sampleKeys are what is read of a sample; the rest is as large as it likes.
func sampleKeys() []string {
	return []string{"id", "uuid", "epoch", "metadata", "scores", "model_usage", "error", "limit", "started_at",
		"working_time", "total_time", "turn_count", "completed"}
}

// readSample reads what counts of a sample.
func readSample(raw json.RawMessage) (sampleRecord, error) {
	var s sampleRecord
	var all map[string]json.RawMessage
	if err := json.Unmarshal(raw, &all); err != nil {
		return s, err
	}
	kept := map[string]json.RawMessage{}
	for _, key := range sampleKeys() {
		if v, ok := all[key]; ok {
			if kept[key] = v; len(v) > maxPart {
				return s, fmt.Errorf("%q of a sample has more than %d MiB, which is not read", key, maxPart>>20)
			}
		}
	}
	text, err := json.Marshal(kept)
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	few := map[string]any{}
	for _, key := range []string{"task", "outcome", "cause", "stop", "detail"} {
		if text, ok := s.Metadata[key].(string); ok && len(text) < 64<<10 {
			few[key] = text
		}
	}
	s.Metadata = few
	for name, x := range s.Scores {
		s.Scores[name] = score{Value: x.Value}
	}
	return s, err
}

func cmpLength(a, b string) int {
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
}

func member(f *zip.File, most int64, v any) error {
	r, err := f.Open()
	if err != nil {
		return fmt.Errorf("reading %.80q: %w", f.Name, err)
	}
	defer r.Close()
	return imported.Decode(r, f.Name, most, v)
}

// whole reads a log that is one JSON value.
func (c *content) whole(r io.Reader, size int64) error {
	if size > maxJSON {
		return fmt.Errorf("it has %d MiB: more than %d MiB is not read\n"+
			"  hint: inspect log convert --to eval makes a log of which a part can be read", size>>20, maxJSON>>20)
	}
	d := newSplitter(io.LimitReader(r, maxJSON))
	if err := d.expect('{'); err != nil {
		return fmt.Errorf("it is no log of Inspect: %w", err)
	}
	head := map[string]json.RawMessage{}
	for end := byte(','); end != '}'; {
		name, after, err := d.key()
		if err != nil || after == '}' {
			return err
		}
		if string(name) == "samples" {
			if err := c.list(d); err != nil {
				return err
			}
			if end, err = d.next(); err != nil {
				return err
			}
			continue
		}
		var raw []byte
		if raw, end, err = d.value('}'); err != nil {
			return err
		}
		if slices.Contains([]string{"status", "eval", "results", "stats", "error"}, string(name)) {
			if head[string(name)] = raw; len(raw) > maxPart {
				return fmt.Errorf("%q has more than %d MiB, which is not read", name, maxPart>>20)
			}
		}
	}
	text, err := json.Marshal(head)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, c)
}

// isJSON reports whether a file begins as a log that is one JSON value.
func isJSON(path string) bool {
	if !strings.HasSuffix(path, ".json") {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	d := json.NewDecoder(io.LimitReader(f, 4<<10))
	var begun bytes.Buffer
	for range 4 { // { "version" : 2 "status"
		tok, err := d.Token()
		if err != nil {
			return false
		}
		fmt.Fprint(&begun, tok, " ")
	}
	return begun.String() == "{ version 2 status "
}
