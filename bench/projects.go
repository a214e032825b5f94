package main

import (
	"fmt"
	"os"
	"path/filepath"
)

const oneTask = "# One\nversion: 1\n\n" +
	"## Models\n- baseline/noop\n\n## Tasks\n### Make a file\nMake a file called done.\n\n" +
	"```sh before\n! test -e done\n```\n```sh after\ntest -e done\n```\n```sh solution\ntouch done\n```\n"

// projects measures one trial on a project of many files, beside a copy of it and
// beside git's look at it.
func projects(b *bench) error {
	files, err := b.number(0, 10_000)
	if err != nil {
		return err
	}
	project := filepath.Join(b.dir, "p")
	for i := range files {
		dir := filepath.Join(project, fmt.Sprintf("d%03d", i/100))
		if i%100 == 0 {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return err
			}
		}
		text := fmt.Sprintf("// file %d\npackage d\n\nfunc F%d() int { return %d }\n", i, i, i)
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%05d.go", i)), []byte(text), 0o644); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(project, "recipe.md"), []byte(oneTask), 0o644); err != nil {
		return err
	}
	for _, args := range [][]string{{"init", "-q"},
		{"config", "gc.auto", "0"}, {"config", "maintenance.auto", "false"}, // nothing is packed while cp copies it
		{"add", "."}, {"-c", "user.name=b", "-c", "user.email=b@b", "commit", "-qm", "all"}} {
		if err := command(project, "git", args...).run(); err != nil {
			return err
		}
	}
	status, err := again(3, func() cmd { return command(project, "git", "status", "--porcelain") })
	if err != nil {
		return err
	}
	copied, err := command("", "cp", "--reflink=auto", "-r", project, filepath.Join(b.dir, "copy")).took()
	if err != nil {
		return err
	}
	run := func() cmd { return command(project, b.cookoff, "run", "--yes") }
	first, err := run().took()
	if err != nil {
		return err
	}
	warm, err := again(2, run)
	if err != nil {
		return err
	}
	empty, err := b.emptyTrial()
	if err != nil {
		return err
	}
	snapshot, anew := cost{warm.cpu - empty.cpu, warm.wall - empty.wall}, cost{first.cpu - empty.cpu,
		first.wall - empty.wall}
	fmt.Printf("%d files\ngit status   %v\ncp           %v\n"+
		"empty trial  %v\nfirst run    %v: without the trial %s of cp\n"+
		"next run     %v: without the trial %s of git status\n",
		files, status, copied, empty, first, anew.over(copied), warm, snapshot.over(status))
	return nil
}

// emptyTrial measures the same trial on a project of nothing but the recipe.
func (b *bench) emptyTrial() (cost, error) {
	dir := filepath.Join(b.dir, "empty")
	if err := os.Mkdir(dir, 0o755); err != nil {
		return cost{}, err
	}
	if err := os.WriteFile(filepath.Join(dir, "recipe.md"), []byte(oneTask), 0o644); err != nil {
		return cost{}, err
	}
	run := func() cmd { return command(dir, b.cookoff, "run", "--yes") }
	if err := run().run(); err != nil {
		return cost{}, err
	}
	return again(2, run)
}
