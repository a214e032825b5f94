package footprint

import (
	"context"
	"strings"

	"cookoff/sandbox"
	"cookoff/verify/alike"
	"cookoff/verify/tree"
)

// ownTests finds programs, and documentation whose examples are run, in which tests demand less than they did.
// held are the programs that are new or changed. Errors are the sandbox's.
func (f *Footprint) ownTests(ctx context.Context, sb sandbox.Sandbox, s *Start, m sandbox.Manifest,
	held map[string]sandbox.Item) (list []Deed, err error) {
	modules, documentation := f.runsExamples(s.Texts)
	tests, docs := &reading{}, &reading{}
	var gone []string
	for _, d := range tree.Differences(s.Files, m) {
		_, had := s.Texts[d.Path]
		switch {
		case strings.HasPrefix(d.Path, "~/") || alike.Foreign(d.Path):
		case d.Is == nil && had && mayLookOn(d.Path):
			gone = append(gone, d.Path)
		case d.Is == nil || d.Was != nil && d.Was.Sum == d.Is.Sum:
		case documentation && documents.MatchString(d.Path):
			docs.want(*d.Is, alike.MaxSize)
		case IsSource(d.Path) && !mayLookOn(d.Path): // to which tests may have been moved
			tests.want(*d.Is, alike.MaxSize)
		}
	}
	moved, err := tests.read(ctx, sb)
	if err != nil {
		return nil, err
	}
	told, err := docs.read(ctx, sb)
	if err != nil {
		return nil, err
	}
	less := func(p, name, is string, examples bool) {
		others := func() string { return besides(p, held) + besides(p, moved) + besides(p, told) }
		if demandsLess(name, string(s.Texts[p].Data), is, examples, others) {
			list = append(list, Deed{Key: "tests of " + p, Path: p, What: OtherTests})
		}
	}
	for p, it := range held {
		less(p, spoken(p, string(it.Data)), string(it.Data), modules)
	}
	for _, p := range gone {
		less(p, spoken(p, string(s.Texts[p].Data)), "", modules)
	}
	for p, it := range told {
		less(p, p+".py", string(it.Data), true) // examples are written as in modules
	}
	return list, nil
}
