package recipe

import (
	"path"
	"strings"

	mountpoint "cookoff/internal/places"
	"cookoff/recipe/source"
)

// MountAt splits a mount: the absolute place, and the directory of the project that
// is seen there as well, "" for a directory of its own.
func MountAt(mount string) (from, at string) {
	if from, at, shared := strings.Cut(mount, ":"); shared {
		return path.Clean(from), at
	}
	return "", mount
}

// MountPlaces gives the places of mounts.
func MountPlaces(mounts []string) (all []string) {
	for _, m := range mounts {
		_, at := MountAt(m)
		all = append(all, at)
	}
	return all
}

// mountsKey reads /PLACE or DIR:/PLACE, several with commas or as bullets.
func mountsKey(to *[]string) key {
	k := listKey("mounts", to)
	return key{k.name, true, func(p *reader, e entry, origin source.Slot) {
		for _, v := range p.list(e) {
			if mount(p, v, *to) {
				p.Note(origin, len(*to), v.Off)
				*to = append(*to, v.Plain())
			}
		}
	}, k.show}
}

// mount reports whether v is a mount that may be beside those before.
func mount(p *reader, v source.Span, before []string) bool {
	const hint = "write /data for an empty directory, " +
		"or DIR:/app for one of the project that is seen there as well (.:/app is all of it)"
	dir, _, shared := strings.Cut(v.Plain(), ":")
	from, at := MountAt(v.Plain())
	why := mountpoint.Problem(at)
	switch {
	case why == "" && shared && (dir == "" || path.IsAbs(from) || from == ".." || strings.HasPrefix(from, "../")):
		why = "what stands before the colon is a directory of the project"
	case why == "" && len(before) == mountpoint.Most:
		why = "there are more than are allowed"
	case why == "":
		why = mountpoint.Clash(at, MountPlaces(before))
	}
	if why == "" {
		return true
	}
	p.problem(v.Off, hint, "%q can't be mounted: %s", v.Plain(), why)
	return false
}
