package view

import (
	"cookoff/report"
	"cookoff/report/html"
	"cookoff/trial"
)

// content is what the events of a journal make of a page.
type content struct {
	journal     string
	numbers     *report.Builder
	transcripts *html.Transcripts
	done        func() // lets go of what was read; nil: nothing was
}

// Reset begins an empty page.
func (p *content) Reset() {
	if p.done != nil {
		p.done()
	}
	p.numbers, p.transcripts = report.New(), html.NewTranscripts()
	p.done = p.transcripts.In(p.journal)
}

// Emit takes an event in.
func (p *content) Emit(e trial.Event) error { return trial.Tee(p.numbers, p.transcripts).Emit(e) }
