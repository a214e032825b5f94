// Package reports is how commands read recorded runs, hold them to gates and
// print what comes out.
package reports

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"cookoff/internal/cli"
	"cookoff/internal/files"
	"cookoff/internal/ui/text"
	"cookoff/report/formats"
)

// Output is where a result goes and how it looks: --format and -o.
type Output struct {
	Format string   // "": by the name of the file, else the default
	File   string   // "", -: standard output
	Also   []string // further files, each in the format of its name
	OTel   bool     // traces go to the collector that the environment names
}

// outputFiles is the flag -o, which may be given several times.
type outputFiles struct{ o *Output }

func (f outputFiles) Type() string { return "FILE" }

func (f outputFiles) String() string {
	if f.o == nil { // pflag asks the zero value
		return ""
	}
	return strings.Join(append(slices.Clone(f.o.Also), f.o.File), ",")
}

func (f outputFiles) Set(name string) error {
	if f.o.File == "" {
		f.o.File = name
		return nil
	}
	f.o.Also = append(f.o.Also, name)
	return nil
}

// formatNamed gives the format that the name of a file stands for, "" for none.
func formatNamed(file string) string {
	return map[string]string{
		".json": "json", ".csv": "csv", ".md": "markdown", ".xml": "junit", ".html": FormatHTML, ".htm": FormatHTML,
		".txt": "table", ".prom": "metrics",
	}[strings.ToLower(filepath.Ext(file))]
}

// each gives the outputs one by one, in the formats that check has found.
func (o Output) each() []Output {
	out := []Output{{Format: o.Format, File: o.File}}
	for _, file := range o.Also {
		out = append(out, Output{Format: cmp.Or(formatNamed(file), Formats()[0]), File: file})
	}
	return out
}

// FormatHTML is the format that shows transcripts as well.
const FormatHTML = "html"

// Formats are those of --format, the default first.
func Formats() []string { return append(append(formats.Formats(), FormatHTML), foreign()...) }

// Check refuses a format that does not exist and a file that can't be, before
// anything is done, and finds the format where none was asked for.
func (o *Output) Check(formats ...string) error {
	if o.Format == "" {
		switch named := formatNamed(o.File); {
		case slices.Contains(formats, named):
			o.Format = named
		case named != "" || filepath.Ext(o.File) != "" && files.CanBeRegular(o.File):
			return cli.Usage("--output %s: its name stands for no format that there is here: %s\n"+
				"  hint: --format says which it is",
				text.Line(o.File), strings.Join(formats, ", "))
		default:
			o.Format = formats[0]
		}
	}
	if err := cli.OneOf("format", o.Format, formats...); err != nil {
		return err
	}
	if o.Format == FormatHTML && files.IsDir(o.File) {
		o.File = filepath.Join(o.File, "report.html")
	}
	for _, file := range o.Also {
		if file == "-" {
			continue
		}
		if named := formatNamed(file); !slices.Contains(formats, named) {
			return cli.Usage("--output %s: its name stands for no format that there is here: %s\n"+
				"  hint: the second file and those behind it are written as their names say: "+
				".json, .csv, .md, .xml (JUnit), .html, .txt", file, strings.Join(formats, ", "))
		}
	}
	seen := map[string]bool{}
	for _, one := range o.each() {
		if seen[one.File] && one.File != "" {
			return cli.Usage("--output %s is given twice", one.File)
		}
		seen[one.File] = true
		if isDirectory(one.Format) {
			if err := checkDirectory(one); err != nil {
				return err
			}
			continue
		}
		if err := CheckPlace("output", one.File); err != nil {
			return err
		}
		if one.Format == FormatHTML && files.CanBeRegular(one.File) {
			if _, err := ownPages(besideOf(one.File)); err != nil {
				return cli.Usage("--output %v", err)
			}
		}
	}
	return nil
}

// CheckPlace refuses a file of a flag that can't be one.
func CheckPlace(flag, file string) error {
	if file == "" || file == "-" {
		return nil
	}
	if st, err := os.Stat(file); err == nil && st.IsDir() {
		return cli.Usage("--%s %s is a directory\n  hint: name a file in it", flag, file)
	}
	if dir := filepath.Dir(file); !files.IsDir(dir) {
		return cli.Usage("--%s %s: there is no directory %s", flag, file, dir)
	}
	return cli.CanWrite("--"+flag+" ", file)
}

// Flags adds --format and -o.
func (o *Output) Flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.Format, "format", "",
		"print the report as `FORMAT`: "+strings.Join(Formats(),
			", ")+" (none: as the name of -o says, else "+Formats()[0]+")")
	cmd.Flags().VarP(outputFiles{o}, "output", "o",
		"write the report to `FILE` instead of standard output (-: standard output), "+
			"or to a new directory for formats that are one; repeatable: each in the format of its name")
	_ = cmd.RegisterFlagCompletionFunc("format",
		cobra.FixedCompletions(Formats(), cobra.ShellCompDirectiveNoFileComp)) // fails only for an unknown flag
}
