package cards

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"cookoff/internal/ui/text"
)

// recordText has a line for each task of builtin:bench that was admitted:
// go test ./runner/played -run TestBenchIsAdmitted adds to it where COOKOFF_RECORD names it.
//
//go:embed record.tsv
var recordText string

// Measure is what admissions of a task showed.
type Measure struct {
	Seeds   []int64       // the seeds with which it was admitted, ascending
	Files   int           // files of the world at its start
	Touched int           // files that the first solution adds, changes or removes
	Stage   time.Duration // the shortest time to open its world and to stage it
}

// Record has the measures of tasks by their titles.
type Record map[string]Measure

// Add puts what one admission showed to what is known of a task.
func (r Record) Add(title string, m Measure) {
	if had, is := r[title]; is {
		m.Stage = min(m.Stage, had.Stage)
		m.Seeds = append(slices.Clone(had.Seeds), m.Seeds...)
	}
	slices.Sort(m.Seeds)
	m.Seeds = slices.Compact(m.Seeds)
	r[title] = m
}

// ParseRecord reads lines as String writes them: title, seeds, files, touched files and
// milliseconds to stage, between tabs.
func ParseRecord(text string) (Record, error) {
	r := Record{}
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if line == "" {
			continue
		}
		m, title, err := parseMeasure(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		r[title] = m
	}
	return r, nil
}

func parseMeasure(line string) (m Measure, title string, err error) {
	f := strings.Split(line, "\t")
	if len(f) != 5 {
		return m, "", fmt.Errorf("found %d fields, want title, seeds, files, touched files, milliseconds", len(f))
	}
	for s := range strings.FieldsSeq(f[1]) {
		seed, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			return m, "", err
		}
		m.Seeds = append(m.Seeds, seed)
	}
	var numbers [3]int
	for i := range numbers {
		if numbers[i], err = strconv.Atoi(f[2+i]); err != nil {
			return m, "", err
		}
	}
	m.Files, m.Touched, m.Stage = numbers[0], numbers[1], time.Duration(numbers[2])*time.Millisecond
	return m, f[0], nil
}

// String gives the lines of the record, sorted by title.
func (r Record) String() string {
	var b strings.Builder
	for _, title := range slices.Sorted(maps.Keys(r)) {
		m, seeds := r[title], make([]string, len(r[title].Seeds))
		for i, s := range m.Seeds {
			seeds[i] = strconv.FormatInt(s, 10)
		}
		fmt.Fprintf(&b, "%s\t%s\t%d\t%d\t%d\n", title, strings.Join(seeds, " "), m.Files, m.Touched,
			m.Stage.Milliseconds())
	}
	return b.String()
}

// write adds what admissions showed to a task's card.
func (m Measure) write(b *strings.Builder) {
	fmt.Fprintf(b, "- A world of %s, of which its first solution touches %d; staged in %d ms\n",
		text.Count(m.Files, "file"), m.Touched, m.Stage.Milliseconds())
	fmt.Fprintf(b, "- Admitted with seeds %s\n", spans(m.Seeds))
}

// spans writes ascending numbers, neighbours as a span: 1 to 3, 7.
func spans(of []int64) string {
	var parts []string
	for i := 0; i < len(of); {
		j := i
		for j+1 < len(of) && of[j+1] == of[j]+1 {
			j++
		}
		part := strconv.FormatInt(of[i], 10)
		if j > i {
			part += " to " + strconv.FormatInt(of[j], 10)
		}
		parts = append(parts, part)
		i = j + 1
	}
	return strings.Join(parts, ", ")
}
