package lines

import (
	"fmt"
	"strings"
	"testing"
)

// TestWeight: what everybody writes says nothing, what somebody thought of does.
func TestWeight(t *testing.T) {
	for _, l := range strings.Split(`
return None, err
if err != nil { return nil, err }
		return nil, fmt.Errorf("%s: %w", name, err)
if (err) return callback(err)
if (err) { return callback(err, null, undefined); }
const fs = require('fs'), path = require('path');
const { readFileSync, writeFileSync } = require('node:fs');
import { readFileSync, writeFileSync } from 'node:fs';
from collections import OrderedDict, defaultdict
use std::collections::{BTreeMap, HashMap};
// Licensed under the Apache License, Version 2.0 (the "License");
 * Permission is hereby granted, free of charge, to any person obtaining
   THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND
"""Redistribution and use in source and binary forms"""
Object.defineProperty(exports, "__esModule", { value: true });
if __name__ == "__main__":
__version__ = "1.20.2"
case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
  "version": "4.17.21-security.1",
version = '2.0'
}, {
});
for (let i = 0; i < list.length; i++) {
except (TypeError, ValueError) as e:
if not isinstance(value, (list, tuple, dict)):
module.exports = function (options, callback) {
`, "\n") {
		if SaysMuch(l) || Weight(l) >= Some && !strings.Contains(l, "isinstance") {
			t.Errorf("%q says %d", l, Weight(l))
		}
	}
	for l, muchOfIt := range map[string]bool{
		`if (!semver.satisfies(candidate, lowerBound, { includePrerelease })) {`: true,
		`return sum(v) / len(v) if len(v) > 0 else float("nan")`:                 true,
		`return max(values) if len(values) > 0 else float("-inf")`:               true,
		`w.header.Set("Retry-After", strconv.Itoa(int(backoff.Round(1))))`:       true,
		`raise ConfigError("negative window: %d" % window)`:                      true,
		`let remaining = deadline.saturating_duration_since(Instant::now());`:    true,
		`return this.decode(chunk, false)`:                                       false,
		`if not isinstance(value, (list, tuple, dict)):`:                         false,
	} {
		if SaysMuch(l) != muchOfIt || Weight(l) < Some {
			t.Errorf("%q says %d", l, Weight(l))
		}
	}
}

// fixes are lines before and after.
var fixes = []struct{ was, now string }{
	{"def mean(values):\n    return sum(values) / len(values)\n",
		"def mean(values):\n    if not values:\n        raise ValueError(\"no values\")\n    return sum(values) / len(values)\n"},
	{"func Abs(x int) int { return x }\n", "func Abs(x int) int {\n\tif x < 0 {\n\t\treturn -x\n\t}\n\treturn x\n}\n"},
	{"  for (let i = 0; i < n; i++) out.push(list[i]);\n", "  for (let i = 0; i <= n; i++) out.push(list[i] || fallback);\n"},
	{"let end = start + width;\n", "let end = (start + width).min(self.len());\n"},
	{"SELECT id FROM users WHERE name = ?;\n", "SELECT id FROM users WHERE lower(name) = lower(?);\n"},
	{"<p>{{ .Name }}</p>\n", "<p>{{ .Name | html }}</p>\n"},
	{"key = name.lower()\n", "key = name.casefold().strip()\n"},
}

// shapes are ways to quote a line of code in a message.
var shapes = map[string]string{
	"fenced":      "Before\n\n```go\n%s\n```\n\nAfter",
	"tildes":      "Before\n\n~~~\n%s\n~~~\nAfter",
	"no end":      "Before\n\n```\n%s\n",
	"indented":    "Before\n\n    %s\n\nAfter",
	"tab":         "Before:\n\n\t%s\n\nAfter",
	"backticks":   "Before. Now it says `%s` there. After",
	"two":         "Before. Now it is ``%s`` there. After",
	"prose":       "Before. Now it says %s instead. After",
	"patch":       "Before\n\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-x\n+%s\n",
	"headless":    "Before\n\n--- a/x\n+++ b/x\n-x\n+%s\n",
	"signs":       "Before\n\n-old line\n+%s\n\nAfter",
	"quoted":      "Before\n\n> diff --git a/x b/x\n> +%s\n\nAfter",
	"in a fence":  "Before\n\n```diff\n@@ -1,2 +1,2 @@\n-old\n+ %s\n```\nAfter",
	"point":       "Before\n\n- one thing\n- `%s` is used\n- another\n",
	"over lines":  "Before it was\nwrong: `%s` is what\nit says now. After",
	"subject":     "%s",
	"other space": "Before. It was `  %s  `. After",
}

// TestMessages: no shape of a message keeps a piece of what the fix adds, and none loses the words around
// it that say nothing of it.
func TestMessages(t *testing.T) {
	for i, f := range fixes {
		added := Added(f.was, f.now)
		code := CodeOf(added, Added(f.now, f.was), f.was)
		for _, line := range added {
			line = strings.TrimSpace(line)
			if strings.Trim(line, "{}();, ") == "" || strings.Contains(f.was, line) {
				continue
			}
			if len(line) < leastLine || signsIn(line) == 0 {
				continue // "return x" says nothing that prose doesn't
			}
			for name, shape := range shapes {
				for _, l := range []string{line, strings.ReplaceAll(line, " ", "  "), strings.ToUpper(line[:1]) + line[1:]} {
					message := fmt.Sprintf(shape, l)
					got := strings.Join(cleaned(code, message), "\n")
					if strings.Contains(squeeze(got), squeeze(strings.TrimRight(line, "{ "))) {
						t.Errorf("%d, %s: %q is in %q", i, name, line, got)
					}
					if strings.HasPrefix(message, "Before\n") && !strings.HasPrefix(got, "Before") {
						t.Errorf("%d, %s: %q lost its words: %q", i, name, message, got)
					}
				}
			}
		}
	}
}

// cleaned is what internal/mine does with a message.
func cleaned(code *Code, message string) (out []string) {
	for _, l := range code.WithoutBlocks(strings.Split(message, "\n")) {
		if DiffBegins(l) {
			break
		}
		out = append(out, Sentences(l, code.In))
	}
	return code.Without(out)
}

// TestHonestMessages: what says what is wrong stays, though it names what the code has, too.
func TestHonestMessages(t *testing.T) {
	for _, f := range fixes {
		code := CodeOf(Added(f.was, f.now), Added(f.now, f.was), f.was)
		for _, message := range []string{
			"mean([]) fails with ZeroDivisionError: it must raise ValueError.",
			"It must fail: ValueError(\"no values\").",
			"Raise an error with the text \"no values\" where there are none.",
			"Abs(-3) gives -3.\n\n    Abs(-3) == -3\n\nIt should be 3.",
			"The last of n elements is left out: f([1, 2], 2) gives [1].",
			"Names that differ in case are two users.\n\n```\nfind('Ann') != find('ann')\n```",
			"- One thing is wrong\n- another one, too\n- `key` is compared letter by letter",
			"Index out of range (start + width > len)", "if not values are given, it crashes", "",
		} {
			if got := strings.Join(cleaned(code, message), "\n"); got != message {
				t.Errorf("%q became %q", message, got)
			}
		}
	}
	if got := strings.Join(cleaned(nil, "a `b` c\n\n    x"), "\n"); got != "a `b` c\n\n    x" {
		t.Errorf("without a fix: %q", got)
	}
}

// TestOperators: a sentence that tells which operator or call to take tells the fix.
func TestOperators(t *testing.T) {
	split := CodeOf([]string{"    return text.split()"}, []string{`    return text.split(" ")`}, `    return text.split(" ")`)
	if !split.In(`Use text.split() instead of text.split(" ").`) || split.In(`text.split(" ") gives empty words`) ||
		split.In("text.split() is not called") {
		t.Error("a call of the fix is not told from another")
	}
	f := fixes[2]
	code := CodeOf(Added(f.was, f.now), Added(f.now, f.was), f.was)
	if !code.In("use `<=` instead of `<`") || code.In("`<=` is printed as `<`") || code.In("use `>=` there") {
		t.Error("an operator of the fix is not told from another")
	}
}

// TestLine: a line that only the fix has is none of what a run printed; one of the test is.
func TestLine(t *testing.T) {
	f := fixes[3]
	code := CodeOf(Added(f.was, f.now), Added(f.now, f.was), f.was)
	if !code.Line("+ let end = (start + width).min(self.len());") || code.Line("let end = start + width;") ||
		code.Line("assert_eq!(end, 3)") || code.Line("") {
		t.Error("lines of the fix are not told from others")
	}
}

func TestOfPatch(t *testing.T) {
	code := OfPatch("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n one(two)\n-three(four)\n+three(five + six)\n")
	if !code.In("now it is three(five + six)") || code.In("it was three(four)") || code.In("one(two)") {
		t.Error("a patch is not read")
	}
}

// TestLed: with a block goes what leads to it.
func TestLed(t *testing.T) {
	f := fixes[3]
	code := CodeOf(Added(f.was, f.now), Added(f.now, f.was), f.was)
	for message, want := range map[string]string{
		"Ends\n\nThey are wrong. Do it so:\n\n    %s\n\nAfter":               "Ends\n\nThey are wrong.\n\n\nAfter",
		"Wrong\n\nSo:\n```\n%s\n```":                                         "Wrong\n\n",
		"Ends\n\nThey are wrong. We need\n\n    %s\n\nin both places. After": "Ends\n\nThey are wrong.\n\n\nAfter",
	} {
		got := strings.Join(cleaned(code, fmt.Sprintf(message, strings.TrimSpace(f.now))), "\n")
		if got != want {
			t.Errorf("%q becomes %q, want %q", message, got, want)
		}
	}
}

// TestRemarks: what stands in the middle of a comment changes nothing, though its line doesn't say so.
func TestRemarks(t *testing.T) {
	for _, c := range []struct{ file, text, want string }{
		{"doc.go", "/*\nv, err := New()\n*/\npackage a\nconst s = `\n/x*/`\n", "xxx...."},
		{"a.js", "f()\n  /**\n   * x = 1\n   y = 2 */ g()\n/* one */\nh() /* two\nthree */\n", ".xx.x..."},
		{"a.py", "#!/usr/bin/python\n\"\"\"what it does\n\nx = 1\n\"\"\"\ndef f(a,\n      b):\n    r'''y\n    z'''\n    s = '''\n    t'''\n",
			".xxxx..xx..."},
		{"a.py", "def f():\n    # first\n    '''one'''\n    return 1\n", "..x.."},
		{"a.py", "f(\n\"\"\"a text\nof two lines\"\"\")\n", "...."},
		{"a.sh", "/*\nx\n", "..."},
	} {
		got := ""
		for _, is := range Remarks(c.file, c.text) {
			got += map[bool]string{true: "x", false: "."}[is]
		}
		if got != c.want {
			t.Errorf("%s %q: %s, want %s", c.file, c.text, got, c.want)
		}
	}
}

// TestPieces: a piece of a pattern is code, without quotation marks around it, too.
func TestPieces(t *testing.T) {
	const was = `const m = /^(\d+)([smh])$/.exec(text);`
	code := CodeOf([]string{`const m = /^(\d+(?:\.\d+)?)([smh])$/.exec(text);`}, []string{was}, was)
	if !code.In(`Half hours need (?:\.\d+)? in the pattern.`) || code.In(`^(\d+) takes no half hours`) ||
		code.In("Half hours (as (1.5)) are read") {
		t.Error("it is code that only the fix has; what was there, and prose with brackets, is not")
	}
}
