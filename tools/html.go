package tools

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// readable makes a page a text that a model reads: headings with #, list items
// with -, links with their target behind them; no scripts, no styles. The
// parser refuses pages that are nested too deep for the recursion below.
func readable(page string) (string, error) {
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		return "", err
	}
	var w textWriter
	w.node(root)
	return strings.TrimSpace(w.out.String()), nil
}

// textWriter writes text with single blanks and at most one empty line.
type textWriter struct {
	out      strings.Builder
	newlines int  // at the end of out
	blank    bool // one is due before the next word
	pre      int  // depth of elements whose blanks count
}

func (w *textWriter) node(n *html.Node) {
	switch n.Type {
	case html.TextNode:
		w.text(n.Data)
		return
	case html.ElementNode:
		w.element(n)
		return
	}
	w.children(n)
}

func (w *textWriter) children(n *html.Node) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		w.node(c)
	}
}

// element writes an element of a page as text: headings, lists and tables get the marks
// that Markdown gives them, and what is not for reading is left out.
func (w *textWriter) element(n *html.Node) {
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Svg, atom.Iframe, atom.Object, atom.Select,
		atom.Textarea, atom.Math:
	case atom.Br:
		w.lines(1)
	case atom.Hr:
		w.block("---", n, 2)
	case atom.Title:
		w.block("Title:", n, 2)
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		w.block(strings.Repeat("#", int(n.Data[1]-'0'))+" ", n, 2)
	case atom.Li, atom.Dt:
		w.block("- ", n, 1)
	case atom.Tr, atom.Div, atom.Dd, atom.Option, atom.Figcaption:
		w.block("", n, 1)
	case atom.Td, atom.Th:
		w.children(n)
		w.word(" |")
		w.blank = true
	case atom.P, atom.Ul, atom.Ol, atom.Dl, atom.Table, atom.Blockquote, atom.Section, atom.Article, atom.Header,
		atom.Footer, atom.Main, atom.Nav, atom.Aside, atom.Form, atom.Figure:
		w.block("", n, 2)
	case atom.Pre:
		w.pre++
		w.block("", n, 2)
		w.pre--
	case atom.Img:
		if alt := attr(n, "alt"); alt != "" {
			w.text("[image: " + alt + "]")
		}
	case atom.A:
		w.children(n)
		if to := attr(n, "href"); to != "" && !strings.HasPrefix(to, "#") && !strings.HasPrefix(to, "javascript:") &&
			!strings.HasPrefix(to, "data:") {
			w.word(" (" + Clip(to, 500) + ")")
		}
	default:
		w.children(n)
	}
}

// block writes an element that has lines of its own, with this many newlines
// before and behind it.
func (w *textWriter) block(prefix string, n *html.Node, newlines int) {
	w.lines(newlines)
	if prefix != "" {
		w.out.WriteString(strings.TrimRight(prefix, " "))
		w.newlines, w.blank = 0, true
	}
	w.children(n)
	w.lines(newlines)
}

func (w *textWriter) lines(n int) {
	w.blank = false
	if w.out.Len() == 0 {
		return
	}
	for ; w.newlines < n; w.newlines++ {
		w.out.WriteByte('\n')
	}
}

// text writes what a browser would show of s.
func (w *textWriter) text(s string) {
	if w.pre > 0 {
		if s != "" {
			w.out.WriteString(s)
			w.newlines = len(s) - len(strings.TrimRight(s, "\n"))
		}
		return
	}
	words := strings.Fields(s)
	if len(words) == 0 {
		w.blank = w.blank || s != ""
		return
	}
	if strings.TrimLeft(s, " \t\r\n\f") != s {
		w.blank = true
	}
	for _, word := range words {
		w.word(word)
		w.blank = true
	}
	w.blank = strings.TrimRight(s, " \t\r\n\f") != s
}

func (w *textWriter) word(s string) {
	if w.blank && w.newlines == 0 && w.out.Len() > 0 {
		w.out.WriteByte(' ')
	}
	w.out.WriteString(s)
	w.newlines, w.blank = 0, false
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return strings.TrimSpace(a.Val)
		}
	}
	return ""
}
