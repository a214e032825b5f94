// Command bench measures cookoff beside plain programs, in processor time of whole
// process trees: what it prints are ratios. docs/performance.md has the table.
//
//	go run ./bench start [PEER ARG…]      version, beside a hello-world (and a peer)
//	go run ./bench worlds [PEER ARG…]     a world opened, used and closed, beside fork and exec
//	go run ./bench scale [TRIALS [SECS]]  trials of a slow model, beside the time of its answers
//	go run ./bench projects [FILES]       one trial on a project, beside git status and cp
//	go run ./bench mine [FIXES]           tasks of a history, beside working trees and their tests
//	go run ./bench warm                   checks in fresh worlds, beside the same commands here
//	go run ./bench journal [MB]           runs, report and its page of a long journal
package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// bench is what a measurement works with.
type bench struct {
	dir     string // for whatever it writes
	cookoff string // the program, built as a release is
	args    []string
}

func run(args []string) error {
	all := map[string]func(*bench) error{"start": start, "worlds": worlds, "scale": scale, "projects": projects,
		"journal": journal, "mine": mining, "warm": warmBuilds}
	names := strings.Join(slices.Sorted(maps.Keys(all)), ", ")
	if len(args) == 0 {
		return fmt.Errorf("what is measured? one of %s", names)
	}
	measure, ok := all[args[0]]
	if !ok {
		return fmt.Errorf("%q can't be measured; can be: %s", args[0], names)
	}
	dir, err := os.MkdirTemp("", "cookoff-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b := &bench{dir: dir, cookoff: filepath.Join(dir, "cookoff"), args: args[1:]}
	if err := command("", "go", "build", "-o", b.cookoff, "./cmd/cookoff").env("CGO_ENABLED=0").run(); err != nil {
		return fmt.Errorf("building cookoff (start this in its checkout): %w", err)
	}
	return measure(b)
}

// number gives the n-th argument as a number.
func (b *bench) number(n, otherwise int) (int, error) {
	if len(b.args) <= n {
		return otherwise, nil
	}
	got, err := strconv.Atoi(b.args[n])
	if err != nil || got < 1 {
		return 0, fmt.Errorf("%q is no number of anything", b.args[n])
	}
	return got, nil
}
