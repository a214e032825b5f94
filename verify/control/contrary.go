package control

import (
	"cmp"
	"math/rand/v2"
	"path"
	"slices"
	"strings"

	"cookoff/internal/pattern"
	"cookoff/verify/lessons"
)

var (
	// meets are lines of a shell that compare a value with one that stands there, or files.
	meets = pattern.New(`(\[|\btest)\s(\$\([^()]*\)|[^|&;])*\s(==?|-eq)\s|\b(diff|cmp)\s`)
	// elsewhere are where a shell's command reads and writes, and what it does where one before it failed.
	elsewhere = pattern.New(`[0-9]*(>>?|<)&?\s*("[^"]*"|[^\s;|&]+)|\|\|[^|&=\[]*$`)
)

// contrary reports whether nobody can meet a demand who meets what stood there: it wants a value to be one and
// not another. Of a demand that is so, and fails with a solution, a state can't hold.
func contrary(d lessons.Demand) bool {
	if saysWanted.MatchString(d.Old) && quoted.MatchString(d.Old) {
		return true
	}
	if !typed.MatchString(d.File) && slices.Contains([]string{"", ".sh", ".bash", ".bats", ".t"}, path.Ext(d.File)) {
		line := elsewhere.ReplaceAllString(d.Old, "")
		return meets.MatchString(line) && !otherThan.MatchString(line)
	}
	return sameness.MatchString(d.Old) && !other(d)
}

// spread shuffles demands, those of different files in turn. Of a file each line comes once before one comes again, and
// those come first that nobody can meet who meets what stood there: all of them are asked.
func spread(draw *rand.Rand, list []lessons.Demand) (out []lessons.Demand) {
	draw.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	others := slices.DeleteFunc(slices.Clone(list), contrary)
	list = slices.DeleteFunc(list, func(d lessons.Demand) bool { return !contrary(d) })
	list = append(list, others...)
	type line struct {
		file string
		at   int
	}
	before := map[line]int{}
	turn := map[lessons.Demand]int{}
	for _, d := range list {
		at := line{d.File, d.Line}
		turn[d] = before[at]
		before[at]++
	}
	slices.SortStableFunc(list, func(a, b lessons.Demand) int {
		return cmp.Or(strings.Compare(a.File, b.File), turn[a]-turn[b])
	})
	var of [][]lessons.Demand
	for i, d := range list {
		if i == 0 || list[i-1].File != d.File {
			of = append(of, nil)
		}
		of[len(of)-1] = append(of[len(of)-1], d)
	}
	draw.Shuffle(len(of), func(i, j int) { of[i], of[j] = of[j], of[i] })
	for i := 0; len(out) < len(list); i++ {
		for _, group := range of {
			if i < len(group) {
				out = append(out, group[i])
			}
		}
	}
	return out
}

// farthestOfEach is farthest for the demands of each file: what stands in one that runs later comes farther.
func farthestOfEach(list []lessons.Demand, shown []string, good string) (out []lessons.Demand) {
	own := map[string][]string{}
	of := map[string][]lessons.Demand{}
	var files []string
	for i, d := range list {
		if of[d.File] == nil {
			files = append(files, d.File)
		}
		of[d.File], own[d.File] = append(of[d.File], d), append(own[d.File], shown[i])
	}
	for _, file := range files {
		out = append(out, farthest(of[file], own[file], good)...)
	}
	return out
}
