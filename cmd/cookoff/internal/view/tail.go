package view

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"cookoff/report"
	"cookoff/report/html"
	"cookoff/trial"
)

// tail folds a journal that grows, each line once.
type tail struct {
	path    string
	file    os.FileInfo
	offset  int64 // of the first line that was not read yet
	begun   int   // how often the journal was read from its beginning
	numbers *report.Builder
	said    *html.Transcripts
}

// read takes in the lines that are whole, and reports whether there were any.
// A journal that another took the place of is read from its beginning.
func (t *tail) read() (news bool, err error) {
	f, err := os.Open(t.path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return false, err
	}
	if t.file == nil || !os.SameFile(t.file, st) || st.Size() < t.offset {
		t.file, t.offset, t.begun, news = st, 0, t.begun+1, true
		t.numbers, t.said = report.New(), html.NewTranscripts()
	}
	end, err := lastLine(f, t.offset, st.Size())
	if err != nil || end == t.offset {
		return news, err
	}
	each := trial.Tee(t.numbers, t.said).Emit
	if _, err := trial.Read(io.NewSectionReader(f, t.offset, end-t.offset), each); err != nil {
		t.file = nil // part of it was taken in: begin again
		return false, fmt.Errorf("reading %s, from byte %d on: %w", t.path, t.offset, err)
	}
	t.offset = end
	return true, nil
}

// lastLine gives the place behind the last line break between from and to;
// from where there is none.
func lastLine(f io.ReaderAt, from, to int64) (int64, error) {
	buf := make([]byte, 64<<10)
	for to > from {
		n := min(int64(len(buf)), to-from)
		if _, err := f.ReadAt(buf[:n], to-n); err != nil {
			return from, err
		}
		if i := bytes.LastIndexByte(buf[:n], '\n'); i >= 0 {
			return to - n + int64(i) + 1, nil
		}
		to -= n
	}
	return from, nil
}
