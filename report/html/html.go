// Package html prints a comparison as one self-contained page: the numbers of
// a report, and beside them what every model said and did. The page asks no
// network for anything, runs no script but its own, and shows text that a
// model, a tool or a recipe wrote as text and nothing else.
package html

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"
	"sync"

	"cookoff/report"
)

//go:embed *.tmpl style.css js/*.js
var files embed.FS

// Options says how a page behaves.
type Options struct {
	// Live makes the page ask its own address for news until the run has
	// ended. A page that is a file must not.
	Live bool
	// Beside is the address of a directory, relative to the page's. Trials that the
	// page shows cut lead to the pages that Wholes writes; they are to lie there.
	Beside string
	alone  bool // a page of one trial
}

// whole is the address of the page of a trial, "" where there is none.
func (o Options) whole(n int) string {
	if o.Beside == "" {
		return ""
	}
	return o.Beside + "/" + wholeName(n)
}

// scripts are the parts of the page's script, in order.
func scripts() []string {
	return []string{"dom", "transcript", "overview", "keys", "live", "main"}
}

// Policy is the content security policy of a page: nothing but its own style
// and script, known by their hashes, and for a live page its own address.
// Text never turns into markup, where the browser can forbid that.
func Policy(o Options) string { return policy(style(), script(), o) }

func policy(style, script string, o Options) string {
	p := []string{
		"default-src 'none'", "script-src " + hash(script), "style-src " + hash(style),
		"base-uri 'none'", "form-action 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'",
	}
	if o.Live {
		p = append(p, "connect-src 'self'")
	}
	return strings.Join(p, "; ")
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// Write prints the page of a report and the transcripts of its trials. The same
// events always give the same bytes.
func Write(w io.Writer, r *report.Report, t *Transcripts, o Options) error {
	_, err := write(w, r, t, document{Options: o, style: style(), script: script()})
	return err
}

// WriteCut is Write, and says which trials the page shows cut.
func WriteCut(w io.Writer, r *report.Report, t *Transcripts, o Options) (Cut, error) {
	short, err := write(w, r, t, document{Options: o, style: style(), script: script()})
	return newCut(r, short), err
}

// document is what a page is made of beside the comparison.
type document struct {
	Options
	style, script string
	home          string // of a page of one trial
}

func write(w io.Writer, r *report.Report, t *Transcripts, d document) (short []int, err error) {
	var all []shownTrial
	for _, tr := range allTrials(r) {
		all = append(all, shownTrial{tr, ""})
	}
	return d.write(w, "page.tmpl", t, all, func(common chrome) any {
		common.Live = d.Live && r.State == report.Unended
		return struct {
			chrome
			page
		}{common, newPage(r, all)}
	})
}

// shownTrial is a trial of a page, and in a comparison the letter of its run.
type shownTrial struct {
	report.Trial
	Run string
}

// chrome is what stands around the numbers of a page.
type chrome struct {
	Live   bool
	Home   string // address of the page that this one belongs to; "": it is that page
	Policy string
	Style  template.CSS
	Script template.JS
	Data   template.JS // JSON in which < is written as an escape
}

// write prints the page of a template with the transcripts of trials; its
// content is what content gives. Those of short are cut.
func (d document) write(w io.Writer, name string, t *Transcripts, trials []shownTrial,
	content func(chrome) any) (short []int, err error) {
	tmpl, err := templates()
	if err != nil {
		return nil, fmt.Errorf("reading the page's templates: %w", err)
	}
	data, short, err := t.marshal(trials, d.Options)
	if err != nil {
		return nil, fmt.Errorf("writing transcripts: %w", err)
	}
	var b bytes.Buffer
	err = tmpl.ExecuteTemplate(&b, name, content(chrome{d.Live, d.home, policy(d.style, d.script, d.Options),
		template.CSS(d.style), template.JS(d.script), template.JS(data)}))
	if err != nil {
		return nil, fmt.Errorf("making the page: %w", err)
	}
	_, err = w.Write(b.Bytes())
	return short, err
}

// templates are read once: a long run has thousands of pages.
var templates = sync.OnceValues(func() (*template.Template, error) { return template.ParseFS(files, "*.tmpl") })

func style() string { return file("style.css") }

// script is the page's script: its parts in one function, so that they share
// their names with nobody else. It is put together once.
var script = sync.OnceValue(func() string {
	var b strings.Builder
	b.WriteString("(() => {\n\"use strict\";\n")
	for _, name := range scripts() {
		b.WriteString(file("js/" + name + ".js"))
	}
	b.WriteString("})();\n")
	return b.String()
})

// file gives an embedded file, which the compiler has seen to be there.
func file(name string) string {
	data, err := files.ReadFile(name)
	if err != nil {
		panic(err)
	}
	return string(data)
}
