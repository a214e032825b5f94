package run

import (
	"errors"
	"slices"
	"strings"
)

// hostNames is the value of --hosts: names with commas between them, at least one.
type hostNames []string

func (h *hostNames) Set(said string) error {
	names := strings.Split(said, ",")
	for i := range names {
		names[i] = strings.TrimSpace(names[i])
	}
	if slices.Contains(names, "") {
		return errors.New("want names of hosts with commas between them, as A,B,local")
	}
	*h = append(*h, names...)
	return nil
}

func (h *hostNames) String() string { return strings.Join(*h, ",") }
func (h *hostNames) Type() string   { return "hosts" }
