package main

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"cookoff/internal/cli"
	"cookoff/report"
	"cookoff/report/html"
	"cookoff/trial"
)

// output is where a result goes and how it looks: --format and -o.
type output struct {
	format string   // "": by the name of the file, else the default
	file   string   // "", -: standard output
	also   []string // further files, each in the format of its name
}

// outputFiles is the flag -o, which may be given several times.
type outputFiles struct{ o *output }

func (f outputFiles) Type() string { return "FILE" }

func (f outputFiles) String() string {
	if f.o == nil { // pflag asks the zero value
		return ""
	}
	return strings.Join(append(slices.Clone(f.o.also), f.o.file), ",")
}

func (f outputFiles) Set(name string) error {
	if f.o.file == "" {
		f.o.file = name
		return nil
	}
	f.o.also = append(f.o.also, name)
	return nil
}

// formatNamed gives the format that the name of a file stands for, "" for none.
func formatNamed(file string) string {
	return map[string]string{
		".json": "json", ".csv": "csv", ".md": "markdown", ".xml": "junit", ".html": formatHTML, ".htm": formatHTML, ".txt": "table", ".prom": "metrics",
	}[strings.ToLower(filepath.Ext(file))]
}

// each gives the outputs one by one, in the formats that check has found.
func (o output) each() []output {
	out := []output{{format: o.format, file: o.file}}
	for _, file := range o.also {
		out = append(out, output{format: orElse(formatNamed(file), formats()[0]), file: file})
	}
	return out
}

// formatHTML is the format that shows transcripts as well.
const formatHTML = "html"

// formats are those of --format, the default first.
func formats() []string { return append(report.Formats(), formatHTML) }

// check refuses a format that does not exist and a file that can't be, before
// anything is done, and finds the format where none was asked for.
func (o *output) check(formats ...string) error {
	if named := formatNamed(o.file); o.format == "" && slices.Contains(formats, named) {
		o.format = named
	} else if o.format == "" {
		o.format = formats[0]
	}
	if err := cli.OneOf("format", o.format, formats...); err != nil {
		return err
	}
	for _, file := range o.also {
		if file == "-" {
			continue
		}
		if named := formatNamed(file); !slices.Contains(formats, named) {
			return cli.Usage("--output %s: its name stands for no format that there is here: %s\n  hint: the second file and those behind it are written as their names say: .json, .csv, .md, .xml (JUnit), .html, .txt", file, strings.Join(formats, ", "))
		}
	}
	seen := map[string]bool{}
	for _, one := range o.each() {
		if seen[one.file] && one.file != "" {
			return cli.Usage("--output %s is given twice", one.file)
		}
		seen[one.file] = true
		if err := checkPlace("output", one.file); err != nil {
			return err
		}
	}
	return nil
}

// checkPlace refuses a file of a flag that can't be one.
func checkPlace(flag, file string) error {
	if file == "" || file == "-" {
		return nil
	}
	if st, err := os.Stat(file); err == nil && st.IsDir() {
		return cli.Usage("--%s %s is a directory\n  hint: name a file in it", flag, file)
	}
	if dir := filepath.Dir(file); !isDir(dir) {
		return cli.Usage("--%s %s: there is no directory %s", flag, file, dir)
	}
	return nil
}

// recorded is a report and the journals that it was made from.
type recorded struct {
	*report.Report
	journals []string
}

// print writes a report to standard output, or to the files of -o.
func (a *app) print(r recorded, o output) error {
	var errs []error
	for _, one := range o.each() {
		errs = append(errs, a.deliver(one, func(opt report.Options) ([]byte, error) {
			var b bytes.Buffer
			err := r.write(&b, one.format, opt)
			return b.Bytes(), err
		}))
	}
	return errors.Join(errs...)
}

// deliver puts a result where -o says; make is told how it may look there.
func (a *app) deliver(o output, make func(report.Options) ([]byte, error)) error {
	toFile := o.file != "" && o.file != "-"
	opt := report.Options{Color: a.Out.Color && !toFile}
	if a.Out.Terminal && !toFile {
		opt.Width, _ = a.Out.Size()
	}
	text, err := make(opt)
	switch {
	case err != nil:
	case toFile:
		if err = writeFile(o.file, text); err == nil {
			a.Say("wrote %s", o.file)
		}
	default:
		_, err = a.Out.Write(text)
	}
	return cli.Written(err)
}

// write prints a report in the format of that name. Transcripts are read from
// the journal, where secrets have been taken out of them.
func (r recorded) write(w io.Writer, format string, o report.Options) error {
	if format != formatHTML {
		return report.Write(w, format, r.Report, o)
	}
	t := html.NewTranscripts()
	read := func(path string, each func(trial.Event) error) (bool, error) {
		defer t.In(path)()
		return trial.ReadFile(path, each)
	}
	if _, _, err := readJournals(r.journals, read, t); err != nil {
		return err
	}
	return html.Write(w, r.Report, t, html.Options{})
}

// writeFile replaces a file as a whole or not at all; what is no regular file
// (a pipe, a device) is written to as it is.
func writeFile(path string, data []byte) error {
	st, err := os.Stat(path)
	switch {
	case err == nil && !st.Mode().IsRegular():
		return writeInto(path, data)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".cookoff-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) // gone after the rename
	_, err = tmp.Write(data)
	err = errors.Join(err, tmp.Chmod(0o644), tmp.Close())
	if err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}

func writeInto(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}
