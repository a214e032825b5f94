package view

import (
	"cookoff/report"
	"cookoff/report/html"
	"cookoff/trial"
)

// content is what the events of a journal make of a page.
type content struct {
	journal string
	numbers *report.Builder
	said    *html.Transcripts
}

// Reset begins an empty page.
func (p *content) Reset() {
	p.numbers, p.said = report.New(), html.NewTranscripts()
	p.said.In(p.journal)
}

// Emit takes an event in.
func (p *content) Emit(e trial.Event) error { return trial.Tee(p.numbers, p.said).Emit(e) }
