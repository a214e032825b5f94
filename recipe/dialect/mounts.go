package dialect

import (
	"path"
	"strings"

	mountpoint "cookoff/internal/places"
	"cookoff/recipe/source"
)

// MountsKey reads /PLACE or DIR:/PLACE, several with commas or as bullets.
func MountsKey(to *[]string) Key {
	k := ListKey("mounts", to)
	return Key{k.Name, true, func(p *Reader, e Entry, origin source.Slot) {
		for _, v := range p.List(e) {
			if mount(p, v, *to) {
				p.Note(origin, len(*to), v.Off)
				*to = append(*to, v.Plain())
			}
		}
	}, k.Show}
}

// mount reports whether v is a mount that may be beside those before.
func mount(p *Reader, v source.Span, before []string) bool {
	const hint = "write /data for an empty directory, " +
		"or DIR:/app for one of the project that is seen there as well (.:/app is all of it)"
	dir, _, shared := strings.Cut(v.Plain(), ":")
	from, at := mountpoint.MountAt(v.Plain())
	why := mountpoint.Problem(at)
	switch {
	case why == "" && shared && (dir == "" || path.IsAbs(from) || from == ".." || strings.HasPrefix(from, "../")):
		why = "what stands before the colon is a directory of the project"
	case why == "" && len(before) == mountpoint.Most:
		why = "there are more than are allowed"
	case why == "":
		why = mountpoint.Clash(at, mountpoint.MountPlaces(before))
	}
	if why == "" {
		return true
	}
	p.Problem(v.Off, hint, "%q can't be mounted: %s", v.Plain(), why)
	return false
}
