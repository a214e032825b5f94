package html

import "slices"

// keepAll bounds what is kept of all transcripts together, in bytes of text. A
// page takes maxWhole of them or, cut, maxData.
const keepAll = 24 << 20

// weight is about what an attempt takes in memory, in bytes of text.
func (a *attempt) weight() (n int) {
	n = a.entriesWeight()
	for _, args := range a.raw {
		n += len(args)
	}
	for _, v := range a.verdicts {
		if v.Evidence != nil {
			n += len(v.Evidence.Tail) + len(v.Evidence.Stderr)
		}
	}
	if a.changes != nil {
		for _, f := range a.changes.files {
			n += len(f.Path) + len(f.Diff)
		}
	}
	return n
}

func (a *attempt) entriesWeight() (n int) {
	for _, e := range a.entries {
		n += e.weight()
	}
	return n
}

// overhead is about what an entry takes beside its texts.
const overhead = 150

func (e *entry) weight() int {
	return overhead + len(e.Who) + len(e.Text) + len(e.Out) + len(e.Facts)
}

// weighed takes in that an attempt grew by some bytes. When all together take too
// much, each keeps less from then on: a journal may be far larger than memory.
func (t *Transcripts) weighed(by int) {
	if t.weight += by; t.weight <= t.most {
		return
	}
	for t.weight > t.most/2 && t.level < len(limits())-1 {
		t.level++
		t.weight = 0
		for _, attempts := range t.trials {
			for _, a := range attempts {
				a.shrink(limits()[t.level])
				t.weight += a.weight()
			}
		}
	}
}

// shrink cuts what an attempt has to a limit.
func (a *attempt) shrink(l limit) {
	a.limit = l
	c := cutter{most: l.text}
	for i := range a.entries {
		e := &a.entries[i]
		e.Text, e.Out = c.cut(e.Text), c.cut(e.Out)
	}
	if over := len(a.entries) - l.entries; over > 0 {
		at := l.entries / 2
		a.entries = slices.Clip(slices.Clone(slices.Delete(a.entries, at, at+over)))
		a.dropped += over
		c.did = true
	}
	for i := range a.verdicts {
		if e := a.verdicts[i].Evidence; e != nil {
			less := *e
			less.Tail, less.Stderr = c.cut(e.Tail), c.cut(e.Stderr)
			a.verdicts[i].Evidence = &less
		}
	}
	if s := a.changes; s != nil {
		c.did = c.did || len(s.files) > l.entries
		s.files = slices.Clone(s.files[:min(len(s.files), l.entries)])
		for i := range s.files {
			s.files[i].Diff = c.cut(s.files[i].Diff)
		}
	}
	if a.outcome != nil {
		a.raw, a.open = nil, nil
	}
	a.left = a.left || c.did
}
