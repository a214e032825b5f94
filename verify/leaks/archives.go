package leaks

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"cookoff/sandbox"
)

const (
	mostArchives = 4000      // that are opened in one world
	largeArchive = 64 << 20  // bytes above which one is not opened
	mostUnpacked = 128 << 20 // bytes that are unpacked of one
)

// listArchives prints the packed files below a directory: by their names, and what npm
// keeps without one.
const listArchives = `find "$LOOK_1" \( -path /proc -o -path /sys -o -path /dev \) -prune -o -type f \( -name '*.zip' -o -name '*.whl' -o -name '*.egg' -o -name '*.crate' -o -name '*.tgz' -o -name '*.tar.gz' -o -name '*-sources.jar' -o -path '*/_cacache/content-v2/*' \) -print0 2>/dev/null | head -c 1000000; exit 0`

// archives looks for lines of solutions in packed files: caches of package managers
// hold releases of the very project.
func (s *search) archives(ctx context.Context) error {
	places, left, err := s.packed(ctx, "/")
	if err != nil {
		return err
	}
	if left != "" {
		s.found.Warn("leaks", "", "not all packed files were looked into: %s", left)
	}
	for _, l := range s.lines {
		if where := places[l]; where != nil {
			s.tell(l, where, true)
		}
	}
	return nil
}

// packed gives the places in packed files below a directory where lines stand, and says what was not looked into.
func (s *search) packed(ctx context.Context, dir string) (places map[line][]string, left string, err error) {
	out, cut, err := s.run(ctx, listArchives, "", dir)
	if err != nil {
		return nil, "", err
	}
	if cut {
		left = fmt.Sprintf("looking for them took longer than %v", searchTime)
	}
	names := strings.FieldsFunc(out, func(r rune) bool { return r == 0 })
	if len(names) > mostArchives {
		left = fmt.Sprintf("%d of %d", len(names)-mostArchives, len(names))
		names = names[:mostArchives]
	}
	places = map[line][]string{}
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return nil, "", err
		}
		b, err := s.read(ctx, name)
		if err != nil {
			return nil, "", err
		}
		for l, inside := range s.unpacked(b) {
			places[l] = append(places[l], at(name)+inside)
		}
	}
	return places, left, nil
}

// read reads a file of the world; nil: it is too large, or can't be read.
func (s *search) read(ctx context.Context, name string) ([]byte, error) {
	chunk, err := s.world.FS().Read(ctx, name, 0, 1<<20)
	var b bytes.Buffer
	for {
		if _, bad := errors.AsType[*sandbox.FileError](err); bad || chunk.Size > largeArchive {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		b.Write(chunk.Data)
		if len(chunk.Data) == 0 || int64(b.Len()) >= chunk.Size {
			return b.Bytes(), nil
		}
		chunk, err = s.world.FS().Read(ctx, name, int64(b.Len()), 1<<20)
	}
}

// unpacked gives the lines that a packed file holds, each with the place inside.
// What can't be unpacked holds none.
func (s *search) unpacked(b []byte) map[line]string {
	out := map[line]string{}
	look := func(r io.Reader, inside string) {
		text, _ := io.ReadAll(io.LimitReader(r, mostUnpacked)) // as far as it goes
		for _, l := range s.lines {
			if _, told := out[l]; !told && bytes.Contains(text, []byte(l.text)) {
				out[l] = inside
			}
		}
	}
	if z, err := zip.NewReader(bytes.NewReader(b), int64(len(b))); err == nil {
		left := uint64(mostUnpacked)
		for _, f := range z.File {
			if f.UncompressedSize64 > left {
				break
			}
			left -= f.UncompressedSize64
			if r, err := f.Open(); err == nil {
				look(io.LimitReader(r, int64(f.UncompressedSize64)), fmt.Sprintf(" (%s)", f.Name))
				r.Close()
			}
		}
		return out
	}
	if z, err := gzip.NewReader(bytes.NewReader(b)); err == nil {
		look(z, "")
	}
	return out
}
