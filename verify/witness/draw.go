package witness

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	mathrand "math/rand/v2"
	"strings"

	"cookoff/internal/pattern"
	"cookoff/sandbox"
	"cookoff/trial"
)

// Draw makes the numbers that checks draw: unknown before the state is
// sealed, and another for every witness.
type Draw struct{ Seed, State string }

var drawn = pattern.New(`\bCOOKOFF_DRAW\b`)

// Into gives a script its number, where it asks for one. A variable that is not
// exported is seen by this script alone, unless it passes it on.
func (d Draw) Into(who trial.Witness, script string) string {
	if !drawn.MatchString(script) {
		return script
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{d.Seed, d.State, string(who), script}, "\x00")))
	return fmt.Sprintf("COOKOFF_DRAW=%d; %s", binary.BigEndian.Uint64(sum[:])>>1, script)
}

// Digest says which files a state has.
func Digest(m sandbox.Manifest) string {
	h := sha256.New()
	for _, f := range m {
		fmt.Fprintf(h, "%q %v %d %s %q\n", f.Path, f.Mode, f.Size, f.Sum, f.Link)
	}
	return string(h.Sum(nil))
}

// Rand gives what is planted for one check: what the seed of the run and the
// sealed state say, or, with no seed, something else each time.
func (d Draw) Rand(check string) *mathrand.Rand {
	sum := sha256.Sum256([]byte(strings.Join([]string{d.Seed, d.State, "control", check}, "\x00")))
	if d.Seed == "" {
		rand.Read(sum[:])
	}
	return mathrand.New(mathrand.NewChaCha8(sum))
}
