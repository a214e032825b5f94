package run

import (
	"errors"
	"slices"
	"strings"

	"cookoff/hosts/engine"
)

// hostNames is the value of --hosts: names with commas between them, at least one.
type hostNames []string

func (h *hostNames) Set(said string) error {
	var names []string
	for part := range strings.SplitSeq(said, ",") {
		part = strings.TrimSpace(part)
		if last := len(names) - 1; last >= 0 && ofSelector(names[last], part) {
			names[last] += "," + part
			continue
		}
		names = append(names, part)
	}
	if slices.Contains(names, "") {
		return errors.New("want names of hosts with commas between them, as A,B,local")
	}
	*h = append(*h, names...)
	return nil
}

// ofSelector reports whether what stands after a comma belongs to the selector before
// it: names of hosts have no sign of equality, and don't begin with "!".
func ofSelector(before, part string) bool {
	kind, _, ok := engine.Cut(before)
	return ok && kind == engine.KubernetesKind && (strings.Contains(part, "=") || strings.HasPrefix(part, "!"))
}

func (h *hostNames) String() string { return strings.Join(*h, ",") }
func (h *hostNames) Type() string   { return "hosts" }
