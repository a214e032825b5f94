// Package copies knows copies of secrets again: whole, in pieces, as they are or encoded.
package copies

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/hex"
	"io"
	"path"
	"slices"
	"strings"

	"cookoff/internal/pattern"
	"cookoff/sandbox"
)

// Known is what copies of secrets are known by: the whole of a file, and pieces of the
// passwords and keys in it.
type Known struct {
	whole  map[string]string // a text -> the path of its file
	pieces map[string]string
	budget *int // bytes of texts that are decoded
}

// maxDecoded bounds the bytes of texts of which encodings are looked at, of one state.
const maxDecoded = 8 << 20

// What is known again, in bytes: a whole file from MinWhole on, and so many of a key that stand together.
const (
	MinWhole = 16
	MinPiece = 12
)

// maxUnzipped bounds the bytes of what a compressed text is.
const maxUnzipped = 1 << 20

var (
	secretName = pattern.New(`(?i)token|secret|passw|credential|apikey|auth|\bkeys?\b`)
	keyLike    = pattern.New(`[A-Za-z0-9+/_=-]{16,}`)
	digits     = pattern.New(`[0-9]`)
	letters    = pattern.New(`[A-Za-z]`)
)

// Of takes secrets by path; keeps reports whether a file is called as those are that people keep keys in. What
// is in the texts of others at the start is none.
func Of(secrets, others map[string]sandbox.Item, keeps func(path string) bool) Known {
	budget := maxDecoded
	n := Known{map[string]string{}, map[string]string{}, &budget}
	for p, it := range secrets {
		n.whole[string(bytes.TrimSpace(it.Data))] = p
		if !keeps(p) && !secretName.MatchString(path.Base(p)) {
			continue
		}
		halves := publicHalves(it.Data)
		for _, word := range keyLike.FindAllString(string(it.Data), -1) {
			for i := 0; i+MinPiece <= len(word); i++ {
				if s := word[i : i+MinPiece]; digits.MatchString(s) && letters.MatchString(s) &&
					!inHalves(s, halves) && !inOthers(s, others, secrets) {
					n.pieces[s] = p
				}
			}
		}
	}
	return n
}

func inOthers(piece string, others, secrets map[string]sandbox.Item) bool {
	for p, it := range others {
		if _, secret := secrets[p]; !secret && bytes.Contains(it.Data, []byte(piece)) {
			return true
		}
	}
	return false
}

// maxTwice bounds the bytes of a text of which encodings within encodings are looked at.
const maxTwice = 64 << 10

// In reports whether a text has a secret of another file than p, as it is or encoded.
func (n Known) In(p string, text []byte) bool { return len(n.Files(p, text)) > 0 }

// Files gives the files other than p of which a text has a secret, as it is or encoded.
func (n Known) Files(p string, text []byte) map[string]bool {
	files := map[string]bool{}
	depth := 0
	if *n.budget -= len(text); *n.budget > 0 {
		depth = 1
		if len(text) <= maxTwice {
			depth = 2
		}
	}
	for _, view := range views(text, depth) {
		for whole, of := range n.whole {
			if of != p && len(whole) >= MinWhole && bytes.Contains(view, []byte(whole)) {
				files[of] = true
			}
		}
		for i := 0; i+MinPiece <= len(view) && len(n.pieces) > 0; i++ {
			if of, known := n.pieces[string(view[i:i+MinPiece])]; known && of != p {
				files[of] = true
			}
		}
	}
	return files
}

var (
	hexOffset = pattern.New(`(?m)^[0-9a-fA-F]{6,16}:?\s|  .*$`)
	hexRun    = pattern.New(`(?:(?:0x|\\x)?[0-9a-fA-F]{2}[\s:,]{0,2}){12,}`)
	hexNoise  = pattern.New(`0x|\\x|[\s:,]`)
	baseRun   = pattern.New(`[A-Za-z0-9+/_-]{16,}`)
)

// views are what a text says: as it is, backwards, and what it encodes, so many times.
func views(text []byte, depth int) [][]byte {
	list := [][]byte{text}
	if depth == 0 {
		return list
	}
	backwards := slices.Clone(text)
	slices.Reverse(backwards)
	list = append(list, backwards)
	inner := [][]byte{unzipped(text), unhexed(text), unhexed(hexOffset.ReplaceAll(text, nil))}
	flat := bytes.ReplaceAll(bytes.ReplaceAll(text, []byte("\n"), nil), []byte("\r"), nil)
	inner = append(inner, unbased(flat)...)
	for _, v := range inner {
		if len(v) >= MinPiece {
			list = append(list, views(v, depth-1)...)
		}
	}
	return list
}

func unzipped(data []byte) []byte {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil
	}
	out, _ := io.ReadAll(io.LimitReader(z, maxUnzipped))
	return out
}

func unhexed(text []byte) (out []byte) {
	for _, run := range hexRun.FindAll(text, -1) {
		run = hexNoise.ReplaceAll(run, nil)
		b := make([]byte, len(run)/2)
		if _, err := hex.Decode(b, run[:len(run)/2*2]); err == nil {
			out = append(out, b...)
		}
	}
	return out
}

// unbased decodes what may be base64, from each of the places where a group may begin.
func unbased(text []byte) [][]byte {
	out := make([][]byte, 4)
	for _, run := range baseRun.FindAll(text, -1) {
		std := strings.NewReplacer("-", "+", "_", "/").Replace(string(run))
		for at := range out {
			s := std[at:]
			if len(s)%4 == 1 {
				s = s[:len(s)-1]
			}
			b, _ := base64.RawStdEncoding.DecodeString(s)
			out[at] = append(out[at], b...)
		}
	}
	return out
}
