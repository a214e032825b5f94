package mutants

import (
	"strings"

	"cookoff/internal/pattern"
)

var (
	// opens are lines that others belong to, or that go on.
	opens = pattern.New(`[{(\[,\\:=|&+*/<>-]\s*$|\b(then|do|else|begin|try|loop|of|where|with|is|and|or|not)\s*$`)
	// closes are lines that belong to others.
	closes = pattern.New(
		`^\s*([})\].,|&:+*/?-]|(end|fi|done|esac|else|elif|elsif|elseif|rescue|ensure|when|case|catch|except|finally` +
			`|until|loop|;;)\b|;;)`)
	// heads begin what spans lines.
	heads = pattern.New(
		`(?i)^\s*(if|for|while|until|unless|case|select|switch|match|def|defmodule|defp|fn|func|fun|function|sub` +
			`|class|module|struct|enum|interface|impl|trait|type|data|instance|begin|try|do|repeat` +
			`|proc|program|procedure|local function|public|private|protected|static|let rec` +
			`|create|alter|insert|with)\b|^\s*[\w-]+\s*\(\)`)
	worded = pattern.New(`\w\w`)
)

// statement reports whether a line stands for itself, so that it can be left out.
func statement(line string) bool {
	return len(line) < 400 && worded.MatchString(line) && !opens.MatchString(line) && !closes.MatchString(line) &&
		!heads.MatchString(line) && balanced(line)
}

func balanced(line string) bool {
	for _, pair := range []string{"()", "[]", "{}"} {
		if strings.Count(line, pair[:1]) != strings.Count(line, pair[1:]) {
			return false
		}
	}
	return true
}

// statements gives the faults of any language: a line that is left out, and two that stand
// in each other's place.
func statements(code string, s *style) (list []Edit) {
	at, before := 0, "" // the line before, where it is one
	lines := strings.SplitAfter(code, "\n")
	for i, full := range lines {
		line := strings.TrimRight(full, "\r\n")
		bare := strings.TrimLeft(line, " \t")
		from := at + len(line) - len(bare)
		// A comment is blank: nothing but one sign.
		if strings.Trim(bare, "_") == "" || !statement(line) || s.keepOut.MatchString(line) {
			before = ""
		} else {
			list = append(list, Edit{From: from, To: at + len(line), New: s.instead, Operator: "statement"})
			indent := line[:len(line)-len(bare)]
			if before != "" && strings.HasPrefix(before, indent) &&
				len(before)-len(strings.TrimLeft(before, " \t")) == len(indent) {
				list = append(list, Edit{From: at - len(lines[i-1]), To: at + len(line), Operator: "order"})
			}
			before = line
		}
		at += len(full)
	}
	return list
}

// swapped gives two lines in each other's place.
func swapped(two string) string {
	first, second, _ := strings.Cut(two, "\n")
	end := ""
	if strings.HasSuffix(first, "\r") {
		first, end = strings.TrimSuffix(first, "\r"), "\r"
	}
	return second + end + "\n" + first
}
