package loop

import (
	"cmp"
	"strconv"
	"strings"

	"cookoff/recipe"
	"cookoff/runner/v1"
)

const defaultTruncation = "[… cut: the output has {line_count} lines, about {token_count} tokens …]"

// cutOutput cuts a tool's output as Output Processing says, once, at the
// source. It tells the model what was cut, and gives the bytes left out.
func cutOutput(r *recipe.Recipe, tool, text string) (string, int64) {
	rule, ok := r.OutputProcessing[tool]
	if !ok {
		rule = recipe.OutputRuleConfig{MaxTokens: v1.OutputLimit}
	}
	keep := cutLines(text, rule)
	keep = cutBytes(keep, rule.MaxTokens*v1.TokenBytes, rule.Truncation)
	kept := len(keep.head) + len(keep.tail)
	if kept == len(text) {
		return text, 0
	}
	msg := strings.NewReplacer(
		"{line_count}", strconv.Itoa(strings.Count(text, "\n")+1), "{token_count}",
		strconv.Itoa(len(text)/v1.TokenBytes),
		"{max_lines}", strconv.Itoa(rule.MaxLines), "{max_tokens}", strconv.Itoa(rule.MaxTokens),
	).Replace(cmp.Or(rule.TruncationMessage, defaultTruncation))
	var parts []string
	for _, s := range []string{keep.head, msg, keep.tail} {
		if s != "" {
			parts = append(parts, strings.TrimSuffix(s, "\n"))
		}
	}
	return strings.Join(parts, "\n"), int64(len(text) - kept)
}

// piece is what is kept of a text: its head and its tail, adjacent when
// nothing was cut.
type piece struct{ head, tail string }

func cutLines(text string, rule recipe.OutputRuleConfig) piece {
	lines := strings.SplitAfter(text, "\n")
	if rule.MaxLines <= 0 || len(lines) <= rule.MaxLines {
		return piece{head: text}
	}
	h, t := split(rule.MaxLines, rule.Truncation)
	return piece{strings.Join(lines[:h], ""), strings.Join(lines[len(lines)-t:], "")}
}

// cutBytes keeps at most max bytes (0: all), whole characters.
func cutBytes(p piece, max int, how string) piece {
	if max <= 0 || len(p.head)+len(p.tail) <= max {
		return p
	}
	h, t := split(max, how)
	if p.tail == "" {
		p.tail = p.head
	}
	if p.head == "" {
		p.head = p.tail
	}
	return piece{strings.ToValidUTF8(p.head[:min(h, len(p.head))], ""),
		strings.ToValidUTF8(p.tail[len(p.tail)-min(t, len(p.tail)):], "")}
}

// split shares n out between head and tail.
func split(n int, how string) (head, tail int) {
	switch how {
	case "head":
		return n, 0
	case "tail":
		return 0, n
	}
	return n - n/2, n / 2
}
