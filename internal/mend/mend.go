package mend

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	"cookoff/sandbox"
	"cookoff/tools"
	"cookoff/tools/probe"
	"cookoff/tools/repair"
)

// Status is what became of a finding.
type Status string

// A finding is mended only when the probe, looking again, does not find it.
const (
	Fixed    Status = "fixed"
	NotFixed Status = "not_fixed" // the fix ran, the finding is still there
	Refused  Status = "refused"   // its class needs consent that was not given
	Declined Status = "declined"  // the user said no
	Printed  Status = "printed"   // privileged: the user has to run it
	Planned  Status = "planned"   // --dry-run
	NoFix    Status = "no_fix"    // nothing answers it here
)

// Result is one finding and what became of it. Keys of its JSON are only
// added.
type Result struct {
	probe.Finding
	Repair  string       `json:"repair,omitempty"`
	Fix     string       `json:"fix,omitempty"`
	Class   repair.Class `json:"class,omitempty"`
	Label   string       `json:"label,omitempty"`
	Command string       `json:"command,omitempty"`
	Status  Status       `json:"status"`
	Exit    *int         `json:"exit,omitempty"`
	Detail  string       `json:"detail,omitempty"`
}

// Answer is what the user says to one fix: yes, no, skip this probe, quit.
type Answer string

// The answers.
const (
	Yes  Answer = "y"
	No   Answer = "n"
	Skip Answer = "s"
	Quit Answer = "q"
)

// Doctor mends what its probes find.
type Doctor struct {
	Consent
	At      probe.Runner
	Library *repair.Library
	Probes  []*probe.Probe
	DryRun  bool
	// Ask asks about a fix that is about to be run. Used with a terminal only.
	Ask func(Result) (Answer, error)
	// Audit records, before a command is run and after it. An error keeps it
	// from being run.
	Audit func(event string, r Result) error
}

// Mend looks with every probe, and mends what is found. The results are in
// order of probes; what could be looked at before an error is among them.
func (d *Doctor) Mend(ctx context.Context) ([]Result, error) {
	var out []Result
	for _, p := range d.Probes {
		rs, quit, err := d.probe(ctx, p)
		out = append(out, rs...)
		if err != nil || quit {
			return out, err
		}
	}
	return out, nil
}

// probe mends what one probe finds.
func (d *Doctor) probe(ctx context.Context, p *probe.Probe) (out []Result, quit bool, err error) {
	found, _, err := p.Find(ctx, d.At)
	var ce *tools.CallError
	if errors.As(err, &ce) {
		return []Result{{Finding: probe.Finding{Probe: p.ID, What: ce.Reason}, Status: NoFix,
			Detail: "the probe could not look"}}, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	still := found
	for i, f := range found {
		if !has(still, f) {
			out = append(out, Result{Finding: f, Status: Fixed, Detail: "gone with the one before"})
			continue
		}
		r := Result{Finding: f}
		answer, err := d.one(ctx, &r)
		out = append(out, r)
		if err != nil || answer == Skip || answer == Quit {
			return append(out, unasked(still, found[i+1:])...), answer == Quit, err
		}
		if r.Exit == nil { // nothing was run
			continue
		}
		if still, _, err = p.Find(ctx, d.At); err != nil {
			return out, false, err
		}
		last := &out[len(out)-1]
		if has(still, f) {
			last.Status = NotFixed
		} else {
			last.Status = Fixed
		}
		if err := d.Audit("done", *last); err != nil {
			return out, false, err
		}
	}
	return out, false, nil
}

// unasked are the results of findings that are left where they are.
func unasked(still, found []probe.Finding) (out []Result) {
	for _, f := range found {
		if has(still, f) {
			out = append(out, Result{Finding: f, Status: Declined, Detail: "it was not asked about"})
		}
	}
	return out
}

func has(all []probe.Finding, f probe.Finding) bool {
	for _, x := range all {
		if maps.Equal(x.Params, f.Params) {
			return true
		}
	}
	return false
}

// one chooses a fix for a finding and does with it what its class allows. The
// result's Exit says that it was run.
func (d *Doctor) one(ctx context.Context, r *Result) (Answer, error) {
	fix, err := d.choose(ctx, r)
	if err != nil || fix == nil {
		return No, err
	}
	decision := d.Decide(fix.Class)
	switch {
	case decision == Print:
		r.Status = Printed
		return No, nil
	case d.DryRun:
		r.Status = Planned
		r.Detail = map[Decision]string{Run: "would be run", Ask: "would be asked about",
			Refuse: refusal(fix.Class)}[decision]
		return No, nil
	case decision == Refuse:
		r.Status, r.Detail = Refused, refusal(fix.Class)
		return No, nil
	case decision == Ask:
		answer, err := d.Ask(*r)
		if err != nil || answer != Yes {
			r.Status = Declined
			return answer, err
		}
	}
	if err := d.Audit("run", *r); err != nil {
		r.Status, r.Detail = Refused, "it could not be recorded"
		return No, err
	}
	res, err := d.At.Exec(ctx, sandbox.Cmd{Script: r.Command})
	if err != nil {
		r.Status, r.Detail = NotFixed, "it was broken off: "+err.Error()
		return No, errors.Join(err, d.Audit("done", *r))
	}
	r.Exit = &res.Exit
	if !res.OK() {
		out, _ := tools.Output(res)
		r.Detail = tools.Clip(out, 2000)
	}
	return Yes, nil
}

func refusal(c repair.Class) string {
	if c == repair.Shared {
		return "others may use what it changes: run it in a terminal, or with --yes --include shared"
	}
	return "it ends or deletes something: run it in a terminal"
}

// choose takes the first repair that answers the finding with a fix that
// matches here. A nil fix says in r why there is none.
func (d *Doctor) choose(ctx context.Context, r *Result) (*repair.Fix, error) {
	answers := d.Library.ByProbe(r.Probe)
	if len(answers) == 0 {
		r.Status, r.Detail = NoFix, "no repair answers it: mend it yourself, or add one with --repairs"
		return nil, nil
	}
	var why []string
	for _, rep := range answers {
		facts, err := repair.Gather(ctx, d.At, rep.ToolNames())
		if err != nil {
			return nil, err
		}
		fix, passed := rep.Choose(facts)
		for _, p := range passed {
			why = append(why, p.Fix.ID+" "+p.Why)
		}
		if fix == nil {
			continue
		}
		command, err := fix.Render(r.Params)
		if err != nil {
			why = append(why, err.Error())
			continue
		}
		r.Repair, r.Fix, r.Class, r.Command = rep.ID, fix.ID, fix.Class, command
		if r.Label, err = fix.Title(r.Params); err != nil {
			r.Label = fix.ID
		}
		return fix, nil
	}
	r.Status, r.Detail = NoFix, fmt.Sprintf("no fix matches here: %s", strings.Join(why, "; "))
	return nil, nil
}
