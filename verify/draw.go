package verify

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

// drawer makes the numbers that checks draw: unknown before the state is
// sealed, and another for every witness.
type drawer struct{ seed, state string }

var drawn = pattern.New(`\bCOOKOFF_DRAW\b`)

// into gives a script its number, where it asks for one. A variable that is not
// exported is seen by this script alone, unless it passes it on.
func (d drawer) into(who trial.Witness, script string) string {
	if !drawn.MatchString(script) {
		return script
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{d.seed, d.state, string(who), script}, "\x00")))
	return fmt.Sprintf("COOKOFF_DRAW=%d; %s", binary.BigEndian.Uint64(sum[:])>>1, script)
}

// digest says which files a state has.
func digest(m sandbox.Manifest) string {
	h := sha256.New()
	for _, f := range m {
		fmt.Fprintf(h, "%q %v %d %s %q\n", f.Path, f.Mode, f.Size, f.Sum, f.Link)
	}
	return string(h.Sum(nil))
}

// chance gives what is planted for one check: what the seed of the run and the
// sealed state say, or, with no seed, something else each time.
func (d drawer) chance(check string) *mathrand.Rand {
	sum := sha256.Sum256([]byte(strings.Join([]string{d.seed, d.state, "control", check}, "\x00")))
	if d.seed == "" {
		rand.Read(sum[:])
	}
	return mathrand.New(mathrand.NewChaCha8(sum))
}
