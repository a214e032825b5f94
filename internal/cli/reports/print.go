package reports

import (
	"bytes"
	"errors"
	"io"

	"cookoff/internal/cli"
	"cookoff/internal/files"
	"cookoff/report"
	"cookoff/report/formats"
	"cookoff/report/html"
	"cookoff/trial"
)

// Recorded is a report and the journals that it was made from.
type Recorded struct {
	*report.Report
	Journals []string
}

// Print writes a report to standard output, or to the files of -o.
func Print(c *cli.Common, r Recorded, o Output) error {
	var errs []error
	for _, one := range o.each() {
		if isDirectory(one.Format) {
			errs = append(errs, r.writeDirectory(c, one))
			continue
		}
		if one.Format == FormatHTML && files.CanBeRegular(one.File) {
			errs = append(errs, cli.Written(WritePage(c, r, one.File)))
			continue
		}
		errs = append(errs, WriteOutput(c, one, func(opt formats.Options) ([]byte, error) {
			var b bytes.Buffer
			err := r.write(c, &b, one.Format, opt)
			return b.Bytes(), err
		}))
	}
	if o.OTel {
		r.sendTraces(c)
	}
	return errors.Join(errs...)
}

// WriteOutput puts a result where -o says; make is told how it may look there.
func WriteOutput(c *cli.Common, o Output, make func(formats.Options) ([]byte, error)) error {
	toFile := o.File != "" && o.File != "-"
	opt := formats.Options{Color: c.Out.Color && !toFile}
	if c.Out.Terminal && !toFile {
		opt.Width, _ = c.Out.Size()
	}
	text, err := make(opt)
	switch {
	case err != nil:
	case toFile:
		if err = files.WriteFile(o.File, text); err == nil {
			c.Say("wrote %s", o.File)
		}
	default:
		_, err = c.Out.Write(text)
	}
	return cli.Written(err)
}

// write prints a report in the format of that name. Transcripts are read from
// the journal, where secrets have been taken out of them.
func (r Recorded) write(c *cli.Common, w io.Writer, format string, o formats.Options) error {
	if format == FormatOTel {
		return r.writeOTel(c, w)
	}
	if format != FormatHTML {
		return formats.Write(w, format, r.Report, o)
	}
	_, err := r.Page(w, html.Options{})
	return err
}

// teller is a sink that reads what lies beside a journal as well.
type teller interface {
	trial.Sink
	In(journal string) (done func())
}

// tellAll gives all events of the journals.
func (r Recorded) tellAll(t teller) error {
	read := func(path string, each func(trial.Event) error) (bool, error) {
		defer t.In(path)()
		return anyRun(trial.ReadFile)(path, each)
	}
	_, _, err := readJournals(r.Journals, read, t)
	return err
}
