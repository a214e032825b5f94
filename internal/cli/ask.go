package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"golang.org/x/term"

	"cookoff/internal/ui/stdio"
)

// Asks tells whether there is somebody to ask: a terminal on both sides, no
// --no-input, and no CI.
func (c *Common) Asks() bool {
	in, ok := c.Stdin.(*os.File)
	ci := c.Getenv("CI") != "" && c.Getenv("CI") != "false"
	return ok && term.IsTerminal(int(in.Fd())) && c.Err.Terminal && !c.NoInput && !ci
}

// Ask asks one question on the terminal; an empty answer is the one offered. What was
// typed before the question could be read is no answer to it.
// Ctrl-C ends the wait for an answer, as does the end of input.
func (c *Common) Ask(ctx context.Context, question, offered string) (string, error) {
	if offered != "" {
		question += " [" + offered + "]"
	}
	if c.answers == nil {
		c.answers = bufio.NewReader(c.Stdin)
	}
	in, ok := c.Stdin.(*os.File)
	if ok && term.IsTerminal(int(in.Fd())) {
		_, _ = c.answers.Discard(c.answers.Buffered())
		stdio.DropAhead(int(in.Fd()))
	}
	fmt.Fprintf(c.Err, "%s ", question)
	if ok && c.answers.Buffered() == 0 {
		if err := stdio.Await(ctx, in); err != nil {
			fmt.Fprintln(c.Err)
			return "", Fail(ExitInterrupted, nil)
		}
	}
	line, err := c.answers.ReadString('\n')
	if err != nil && (line == "" || !errors.Is(err, io.EOF)) {
		return "", Fail(ExitInterrupted, errors.New("no answer"))
	}
	if line = strings.TrimSpace(line); line == "" {
		return offered, nil
	}
	return line, nil
}

// Confirm asks a question that is answered yes or no; no is the default.
func (c *Common) Confirm(ctx context.Context, question string) (bool, error) {
	answer, err := c.Choose(ctx, question, "y/N", "no", "yes")
	return answer == "yes", err
}

// Accept is Confirm with yes as the default.
func (c *Common) Accept(ctx context.Context, question string) (bool, error) {
	answer, err := c.Choose(ctx, question, "Y/n", "yes", "no")
	return answer == "yes", err
}

// Choose asks until the answer is one of some words or begins one, in capitals or not;
// an empty one is the first. shown is how the question says so.
func (c *Common) Choose(ctx context.Context, question, shown string, words ...string) (string, error) {
	for {
		answer, err := c.Ask(ctx, question, shown)
		if err != nil {
			return "", err
		}
		if answer == shown {
			return words[0], nil
		}
		if word := chosen(answer, words); word != "" {
			return word, nil
		}
		fmt.Fprintf(c.Err, "%q is no answer here: %s\n", answer, strings.Join(words, ", "))
	}
}

// chosen is the word that an answer is or begins, the first of these; "": there is none.
func chosen(answer string, words []string) string {
	answer = strings.ToLower(answer)
	if slices.Contains(words, answer) {
		return answer
	}
	at := slices.IndexFunc(words, func(w string) bool { return strings.HasPrefix(w, answer) })
	if at < 0 {
		return ""
	}
	return words[at]
}
