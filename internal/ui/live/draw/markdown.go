package draw

import (
	"fmt"
	"strings"

	"cookoff/internal/ui/live/board"
	"cookoff/internal/ui/markdown"
	"cookoff/internal/ui/screen"
	"cookoff/internal/ui/text"
)

// modelText draws what a model said, or one of its sub-agents.
func (t transcript) modelText(e board.Entry) (out []string) {
	lines := e.Drawn
	if e.Head != "" {
		head := markdown.Span{Text: "agent " + e.Head + ": "}
		if len(lines) > 0 && lines[0].First == "" {
			first := lines[0]
			first.Spans = append([]markdown.Span{head}, first.Spans...)
			lines = append([]markdown.Line{first}, lines[1:]...)
		} else {
			lines = append([]markdown.Line{{Spans: []markdown.Span{head}}}, lines...)
		}
	}
	for _, l := range lines {
		out = append(out, t.marked(l)...)
	}
	if e.More > 0 {
		out = append(out, text.Fit(fmt.Sprintf("… %d bytes more", e.More), t.width))
	}
	return out
}

// marked draws a line of Markdown, wrapped.
func (t transcript) marked(l markdown.Line) (out []string) {
	spans := t.worded(l.Spans)
	var all strings.Builder
	for _, s := range spans {
		all.WriteString(s.Text)
	}
	left, lead := all.String(), l.First
	for _, piece := range text.Wrap(left, max(t.width-max(text.Width(l.First), text.Width(l.Rest)), 1)) {
		skipped := max(strings.Index(left, piece), 0) // blanks where the line was broken
		left = left[skipped+len(piece):]
		var styled strings.Builder
		spans = cut(spans, skipped, nil)
		spans = cut(spans, len(piece), func(s markdown.Span) { styled.WriteString(t.styled(s)) })
		fill := t.width - text.Width(lead) - text.Width(piece)
		if fill < 0 { // a panel that is narrower than what stands before the line
			out = append(out, text.Fit(lead+piece, t.width))
		} else {
			out = append(out, lead+styled.String()+strings.Repeat(" ", fill))
		}
		lead = l.Rest
	}
	return out
}

// styled paints a piece of text.
func (t transcript) styled(s markdown.Span) string {
	if st, ok := styles[s.Style]; ok {
		return t.Paint(st, s.Text)
	}
	return s.Text
}

// worded marks code where there are no colours to show it.
func (t transcript) worded(spans []markdown.Span) []markdown.Span {
	out := append([]markdown.Span{}, spans...)
	for i, s := range out {
		if s.Style == markdown.Code && !t.Color {
			out[i].Text = "`" + s.Text + "`"
		}
	}
	return out
}

// cut takes so many bytes off the front of spans, and hands them out piece by piece.
func cut(spans []markdown.Span, bytes int, take func(markdown.Span)) []markdown.Span {
	for len(spans) > 0 && bytes > 0 {
		s := spans[0]
		n := min(bytes, len(s.Text))
		if take != nil {
			take(markdown.Span{Text: s.Text[:n], Style: s.Style})
		}
		if bytes -= n; n < len(s.Text) {
			return append([]markdown.Span{{Text: s.Text[n:], Style: s.Style}}, spans[1:]...)
		}
		spans = spans[1:]
	}
	return spans
}

// styles are those of a terminal for what is marked; plain text has none.
var styles = map[markdown.Style]screen.Style{
	markdown.Heading: screen.Bold, markdown.Strong: screen.Bold, markdown.Emphasis: screen.Italic,
	markdown.Code: screen.Cyan, markdown.Block: screen.Cyan,
}
