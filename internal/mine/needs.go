package mine

import "maps"

// needsOf gives the files that say what a project needs from elsewhere, with what they
// are made from.
func needsOf(all tree) map[string]string {
	out := map[string]string{}
	for p, f := range all {
		if lockfile.MatchString(p) || manifest.MatchString(p) {
			out[p] = f.ID
		}
	}
	return out
}

func sameNeeds(was map[string]string, now tree) bool { return maps.Equal(was, needsOf(now)) }
