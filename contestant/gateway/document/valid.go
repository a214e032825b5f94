package document

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// maxDepth is how deep a body may be nested: no agent comes near, and servers break.
const maxDepth = 200

// check wants a text to be one JSON value in which lists and objects stand within each other
// so deep at most. It takes what json.Valid takes, in a fifth of the time: every request of
// an agent is looked at.
func check(raw []byte, most int) error {
	c := &checker{raw: raw, left: most}
	i := c.value(skip(raw, 0))
	switch {
	case c.deep:
		return fmt.Errorf("the body is nested deeper than %d levels", most)
	case i < 0 || skip(raw, i) != len(raw):
		return fmt.Errorf("the body is no JSON")
	}
	return nil
}

// checker looks at values. Its methods give where what begins at i ends, and -1 where it is
// no JSON.
type checker struct {
	raw  []byte
	left int // levels
	deep bool
}

// value checks the value of JSON that begins at i, and gives where it ends; -1: it is none,
// or too deep.
func (c *checker) value(i int) int {
	if i < 0 || i >= len(c.raw) {
		return -1
	}
	switch first := c.raw[i]; {
	case first == '"':
		return c.text(i)
	case first == '{' || first == '[':
		if c.left--; c.left < 0 {
			c.deep = true
			return -1
		}
		if first == '{' {
			i = c.list(i, '}')
		} else {
			i = c.list(i, ']')
		}
		c.left++
		return i
	case first == '-' || isDigit(first):
		return c.number(i)
	}
	for _, word := range []string{"true", "false", "null"} {
		if len(c.raw)-i >= len(word) && string(c.raw[i:i+len(word)]) == word {
			return i + len(word)
		}
	}
	return -1
}

// list looks at what stands between brackets: values, or members of an object.
func (c *checker) list(i int, end byte) int {
	if i = skip(c.raw, i+1); i < len(c.raw) && c.raw[i] == end {
		return i + 1
	}
	for {
		if end == '}' {
			if i >= len(c.raw) || c.raw[i] != '"' {
				return -1
			}
			if i = c.text(i); i < 0 {
				return -1
			}
			if i = skip(c.raw, i); i >= len(c.raw) || c.raw[i] != ':' {
				return -1
			}
			i = skip(c.raw, i+1)
		}
		if i = c.value(i); i < 0 {
			return -1
		}
		if i = skip(c.raw, i); i >= len(c.raw) {
			return -1
		}
		switch c.raw[i] {
		case end:
			return i + 1
		case ',':
			i = skip(c.raw, i+1)
		default:
			return -1
		}
	}
}

// text looks at a string.
func (c *checker) text(i int) int {
	for i++; ; {
		i = plain(c.raw, i)
		if i >= len(c.raw) || c.raw[i] < ' ' {
			return -1
		}
		if c.raw[i] == '"' {
			return i + 1
		}
		if i++; i >= len(c.raw) {
			return -1
		}
		switch c.raw[i] {
		case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			i++
		case 'u':
			if i+5 > len(c.raw) {
				return -1
			}
			for _, x := range c.raw[i+1 : i+5] {
				if !isDigit(x) && (x|0x20 < 'a' || x|0x20 > 'f') {
					return -1
				}
			}
			i += 5
		default:
			return -1
		}
	}
}

// plain gives the first byte from i on that is a quote, a backslash or a control
// character, eight bytes at a time.
func plain(raw []byte, i int) int {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	for ; i+8 <= len(raw); i += 8 {
		x := binary.LittleEndian.Uint64(raw[i:])
		quote, slash := x^(ones*'"'), x^(ones*'\\')
		if found := ((quote-ones)&^quote | (slash-ones)&^slash | (x-ones*' ')&^x) & high; found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	for i < len(raw) && raw[i] != '"' && raw[i] != '\\' && raw[i] >= ' ' {
		i++
	}
	return i
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// number looks at one: -0.5e+3.
func (c *checker) number(i int) int {
	at := func(i int) byte {
		if i < len(c.raw) {
			return c.raw[i]
		}
		return 0
	}
	digits := func(i int) int { // at least one
		if !isDigit(at(i)) {
			return -1
		}
		for isDigit(at(i)) {
			i++
		}
		return i
	}
	if at(i) == '-' {
		i++
	}
	if at(i) == '0' {
		i++
	} else {
		i = digits(i)
	}
	if i >= 0 && at(i) == '.' {
		i = digits(i + 1)
	}
	if i >= 0 && at(i)|0x20 == 'e' {
		if i++; at(i) == '+' || at(i) == '-' {
			i++
		}
		i = digits(i)
	}
	return i
}
