package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// hosts counts the trials that ended on each machine; nil: there was one.
func (r *Report) hosts() map[string]int {
	var out map[string]int
	for _, t := range r.Trials {
		if t.Host != "" {
			if out == nil {
				out = map[string]int{}
			}
			out[t.Host]++
		}
	}
	return out
}

// joinHosts puts the machines of two runs together.
func joinHosts(a, b map[string]string) map[string]string {
	if len(a) == 0 {
		return b
	}
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}

// whereRun says on which machines trials ran, for the line below a table; "": there
// was one.
func whereRun(r *Report) string {
	hosts := r.hosts()
	var each []string
	for _, name := range slices.Sorted(maps.Keys(hosts)) {
		each = append(each, fmt.Sprintf("%s (%d)", name, hosts[name]))
	}
	if len(each) == 0 {
		return ""
	}
	return " on " + strings.Join(each, ", ")
}

// onHosts are the circumstances of having been run on this machine or that.
func onHosts(r *Report) (out []circumstance) {
	hosts := r.hosts()
	if len(hosts) < 2 {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(hosts)) {
		on := func(t Trial) float64 {
			if t.Host == name {
				return 1
			}
			return 0
		}
		out = append(out, circumstance{on, "on the host " + name, "on other hosts than " + name})
		if len(hosts) == 2 {
			break // the other one says the same
		}
	}
	return out
}

// apart says where contestants were not tried on the same machines: the trials of one
// task and repeat belong together.
func apart(r *Report, say sayer) {
	if len(r.hosts()) < 2 {
		return
	}
	where := map[string]map[string]bool{} // kinds of machines, by task and repeat
	for _, t := range r.Trials {
		key := fmt.Sprintf("%d %s", t.N, t.Task)
		if where[key] == nil {
			where[key] = map[string]bool{}
		}
		if t.Judged() {
			where[key][cmp.Or(r.Run.Hosts[t.Host], t.Host)] = true
		}
	}
	split := 0
	for _, on := range where {
		if len(on) > 1 {
			split++
		}
	}
	if split > 0 {
		say("contestants were not tried on the same hosts in %d of %d tasks and repeats: "+
			"what tells them apart there may be the machine's", split, len(where))
	}
}
