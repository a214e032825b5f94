package html

import (
	"encoding/json"
	"fmt"
)

// The most that transcripts may take of a page, in bytes of JSON: those of a run whole
// and cut, and one alone.
const (
	maxWhole = 20 << 20
	maxData  = 8 << 20
	maxAlone = 2 * keepAll
)

// limit is how much of the transcripts a page takes: bytes of a text, and entries
// or files of an attempt.
type limit struct{ text, entries int }

// limits are those of pages, from the first, which takes as good as all, to the last,
// which takes nothing.
func limits() []limit {
	return []limit{
		{1 << 20, 20_000}, {32 << 10, 600}, {8 << 10, 600}, {4 << 10, 200}, {2 << 10, 120}, {1 << 10, 80},
		{600, 60}, {300, 40}, {200, 20}, {120, 8}, {60, 2}, {0, 0},
	}
}

// marshal gives the JSON of all transcripts, with as much of each text as has
// room, and which trials are cut: their numbers. encoding/json writes <, >, & and
// the line separators of JavaScript as \u escapes, so that nothing in it can end
// the script element that holds it.
func (t *Transcripts) marshal(trials []shownTrial, o Options) (out []byte, short []int, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	seen, longest := t.texts()
	for i, l := range limits() {
		last, most := i == len(limits())-1, maxData
		if o.alone {
			most = maxAlone
		} else if i == 0 {
			most = maxWhole
		}
		if i < t.level || i == 0 && o.Live { // so much is not kept any more, or sent each second
			continue
		}
		if !last && longest <= l.entries && least(seen, l.text) > most {
			continue
		}
		f := &fitter{limit: l, cutter: cutter{most: l.text}, seen: seen, at: map[string]int{}}
		d := data{Trials: make([]dataTrial, 0, len(trials)), Texts: []string{}}
		if i > 0 {
			d.Note = note(l, o)
		}
		short = nil
		for n, tr := range trials {
			one := f.trial(tr, t.trials[tr.ID])
			if one.Cut = one.Cut && i > 0; one.Cut {
				short = append(short, n)
				one.Whole = o.whole(n)
			}
			d.Trials = append(d.Trials, one)
		}
		d.Texts = append(d.Texts, f.texts...)
		out, err := json.Marshal(d)
		if err != nil || len(out) <= most || last {
			return out, short, err
		}
	}
	return nil, nil, nil // not reached: the last limit always returns
}

// note says that something is left out, and where it is.
func note(l limit, o Options) string {
	n := fmt.Sprintf(
		"Long transcripts and final states are cut here to %d bytes a text and %d entries or files an attempt",
		l.text, l.entries)
	if o.Beside == "" {
		return n + "; the run's directory has them whole."
	}
	return n + "."
}

// texts says how often each text stands in the transcripts, and how many
// entries the longest attempt has.
func (t *Transcripts) texts() (n map[string]int, longest int) {
	n = map[string]int{}
	for _, attempts := range t.trials {
		for _, a := range attempts {
			longest = max(longest, len(a.entries))
			for _, e := range a.entries {
				n[e.Text]++
				n[e.Out]++
			}
			if a.changes != nil {
				for _, f := range a.changes.files {
					n[f.Diff]++
				}
			}
		}
	}
	return n, longest
}

// least is the least that all texts take, each cut to some bytes.
func least(texts map[string]int, cutTo int) int {
	sum := 0
	for s := range texts {
		sum += min(len(s), cutTo)
	}
	return sum
}

// fitter makes data of transcripts.
type fitter struct {
	cutter
	limit limit
	seen  map[string]int
	at    map[string]int
	texts []string
}

// text cuts a text, and gives the number of one that is said again elsewhere.
func (f *fitter) text(s string) any {
	f.did = f.did || len(s) > f.most
	switch n, known := f.at[s]; {
	case s == "":
		return nil
	case known:
		return n
	case len(s) < 24 || f.seen[s] < 2:
		return f.cut(s)
	}
	f.texts, f.at[s] = append(f.texts, f.cut(s)), len(f.texts)
	return f.at[s]
}
