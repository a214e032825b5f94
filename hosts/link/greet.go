package link

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// magic is what each end says first. Both ends of another version have another.
const magic = "\x00cookoff-hand/1\n"

// maxBanner bounds what engines may print before the magic, in bytes, and maxHello a
// greeting.
const (
	maxBanner = 16 << 10
	maxHello  = 64 << 10
)

// BannerError is an end that did not say what a hand says. Saw is what it said.
type BannerError struct {
	Saw []byte
	Err error
}

func (e *BannerError) Error() string { return "no hand answers: " + e.Err.Error() }
func (e *BannerError) Unwrap() error { return e.Err }

// WriteGreeting sends mine, as JSON behind a magic, a length and a checksum.
func WriteGreeting(out io.Writer, mine any) error {
	text, err := json.Marshal(mine)
	if err != nil {
		return err
	}
	if len(text) > maxHello {
		return fmt.Errorf("a greeting of %d bytes, and %d are allowed", len(text), maxHello)
	}
	b := append([]byte(magic), binary.BigEndian.AppendUint32(nil, uint32(len(text)))...)
	b = binary.BigEndian.AppendUint32(b, crc32.Checksum(text, castagnoli))
	_, err = out.Write(append(b, text...))
	return err
}

// ReadGreeting reads what the other end says of itself. What stands before its magic, as
// the banners of engines do, is left out; a *BannerError where no magic comes.
func ReadGreeting(in io.Reader, theirs any) error {
	if err := findMagic(in); err != nil {
		return err
	}
	var head [8]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return noEOF(err)
	}
	n := binary.BigEndian.Uint32(head[:])
	if n > maxHello {
		return fmt.Errorf("%w: a greeting of %d bytes", ErrFrame, n)
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(in, text); err != nil {
		return noEOF(err)
	}
	if crc32.Checksum(text, castagnoli) != binary.BigEndian.Uint32(head[4:]) {
		return fmt.Errorf("%w: the sum of a greeting is wrong", ErrFrame)
	}
	if err := json.Unmarshal(text, theirs); err != nil {
		return fmt.Errorf("%w: %v", ErrFrame, err)
	}
	return nil
}

// findMagic reads up to the end of the magic, and no further.
func findMagic(in io.Reader) error {
	var saw []byte
	for one := make([]byte, 1); ; {
		if _, err := io.ReadFull(in, one); err != nil {
			return &BannerError{saw, err}
		}
		saw = append(saw, one[0])
		if bytes.HasSuffix(saw, []byte(magic)) {
			return nil
		}
		if len(saw) > maxBanner {
			return &BannerError{saw, errors.New("it says something else")}
		}
	}
}
