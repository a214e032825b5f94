package formats

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"

	"cookoff/report"
)

// maxComment is the most that GitHub takes for a comment; a byte is a character
// at most.
const maxComment = 65_536

// Comment writes Markdown for a comment beside a change: what fits, after a line
// that is not shown and is the same for each run of a recipe, so that the comment
// of the run before can be found and replaced.
func Comment(w io.Writer, r *report.Report) error {
	sum := sha256.Sum256([]byte(r.Run.Recipe))
	mark := fmt.Sprintf("<!-- cookoff report %s -->\n", hex.EncodeToString(sum[:6]))
	text, _ := Summary(r, maxComment-len(mark)) // what is left out is said in it
	_, err := w.Write(append([]byte(mark), text...))
	return err
}
