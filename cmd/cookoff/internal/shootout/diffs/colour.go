package diffs

import (
	"strings"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"

	"cookoff/cmd/cookoff/internal/screen"
)

// maxCode is the size in bytes up to which a file's syntax is looked at.
const maxCode = 128 << 10

// span is a piece of a line in one style. Its text is harmless.
type span struct {
	text  string
	style screen.Style
}

// Colours of code; what they say is there in the text as well.
const (
	blue    screen.Style = "34"
	magenta screen.Style = "35"
	cyan    screen.Style = "36"
)

// tokens gives the pieces of each line of a file; nil where its language is
// not known.
func tokens(path, text string) [][]span {
	if text == "" || len(text) > maxCode {
		return nil
	}
	lexer := lexers.Match(path[strings.LastIndexByte(path, '/')+1:])
	if lexer == nil {
		return nil
	}
	it, err := chroma.Coalesce(lexer).Tokenise(nil, text)
	if err != nil {
		return nil
	}
	var out [][]span
	for _, line := range chroma.SplitTokensIntoLines(it.Tokens()) {
		var spans []span
		for _, t := range line {
			if s := show(t.Value); s != "" {
				spans = append(spans, span{s, styleOf(t.Type)})
			}
		}
		out = append(out, spans)
	}
	return out
}

func styleOf(t chroma.TokenType) screen.Style {
	switch {
	case t.InCategory(chroma.Comment):
		return screen.Dim
	case t.InCategory(chroma.Keyword):
		return magenta
	case t.InSubCategory(chroma.LiteralString):
		return cyan
	case t.InSubCategory(chroma.LiteralNumber):
		return blue
	case t == chroma.NameFunction, t == chroma.NameClass, t == chroma.NameTag:
		return blue
	}
	return ""
}

// colour writes the text of a line in so many columns. Pieces that do not make
// up the text are left uncoloured: what is shown is always the text.
func colour(s screen.Stream, l Line, width int) string {
	whole := screen.Fit(l.Text, width)
	if !s.Color || len(l.code) == 0 {
		return whole
	}
	var b strings.Builder
	rest := whole
	for _, p := range l.code {
		if !strings.HasPrefix(rest, p.text) {
			break
		}
		if p.style == "" {
			b.WriteString(p.text)
		} else {
			b.WriteString(s.Paint(p.style, p.text))
		}
		rest = rest[len(p.text):]
	}
	return b.String() + rest
}
