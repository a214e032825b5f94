// Package nearest finds the name that another one is a slip of.
package nearest

import (
	"slices"
	"strings"
)

// Name gives the allowed name that name is most likely a slip of, or "".
func Name(name string, allowed []string) string {
	if len(name) > 64 {
		return "" // no slip, and not worth the time
	}
	best, bestD := "", len(name)/3+2
	for _, a := range allowed {
		if d := Distance(strings.ToLower(name), strings.ToLower(a)); d < bestD {
			best, bestD = a, d
		}
	}
	return best
}

// Said is the only allowed name that has all words of name between its dashes, as max-total-cost has those of max-cost,
// else Name.
func Said(name string, allowed []string) (only string) {
	words := strings.Split(name, "-")
	for _, a := range allowed {
		has := strings.Split(a, "-")
		if len(words) < 2 || slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(has, w) }) {
			continue
		}
		if only != "" {
			return Name(name, allowed)
		}
		only = a
	}
	if only == "" {
		return Name(name, allowed)
	}
	return only
}

// Meant is Name, or the only allowed name that name shortens, as md does markdown: for a
// question, and for nothing that is mended without one.
func Meant(name string, allowed []string) string {
	if slip := Name(name, allowed); slip != "" {
		return slip
	}
	return shortened(name, allowed)
}

// shortened gives the only allowed name that begins as name does and has its further
// bytes in that order, or "".
func shortened(name string, allowed []string) (only string) {
	for _, a := range allowed {
		rest, ok := strings.ToLower(a), len(name) > 1 && strings.EqualFold(name[:1], a[:min(1, len(a))])
		for i := 0; i < len(name) && ok; i++ {
			_, rest, ok = strings.Cut(rest, strings.ToLower(name[i:i+1]))
		}
		if ok && only != "" {
			return ""
		} else if ok {
			only = a
		}
	}
	return only
}

// Distance is the number of single-byte edits and neighbour swaps between a and b.
func Distance(a, b string) int {
	prev2, prev, cur := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], prev2[j-2]+1)
			}
		}
		prev2, prev, cur = prev, cur, prev2
	}
	return prev[len(b)]
}
