package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// asks tells whether there is somebody to ask: a terminal on both sides, no
// --no-input, and no CI.
func (a *app) asks() bool {
	in, ok := a.stdin.(*os.File)
	ci := a.getenv("CI") != "" && a.getenv("CI") != "false"
	return ok && term.IsTerminal(int(in.Fd())) && a.err.Terminal && !a.noInput && !ci
}

// ask asks one question on the terminal; an empty answer is the one offered.
func (a *app) ask(question, offered string) (string, error) {
	if offered != "" {
		question += " [" + offered + "]"
	}
	fmt.Fprintf(a.err, "%s ", question)
	if a.answers == nil {
		a.answers = bufio.NewReader(a.stdin)
	}
	line, err := a.answers.ReadString('\n')
	if err != nil && (line == "" || !errors.Is(err, io.EOF)) {
		return "", &failure{exitInterrupted, errors.New("no answer")}
	}
	if line = strings.TrimSpace(line); line == "" {
		return offered, nil
	}
	return line, nil
}

// confirm asks a question that is answered yes or no; no is the default.
func (a *app) confirm(question string) (bool, error) {
	answer, err := a.ask(question, "y/N")
	return strings.EqualFold(answer, "y") || strings.EqualFold(answer, "yes"), err
}
