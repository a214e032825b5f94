package lines

import (
	"path"
	"strings"
)

// blocks are how comments of several lines begin and end, by the endings of files.
var blocks = func() map[string][2]string {
	out := map[string][2]string{".html": {"<!--", "-->"}, ".vue": {"<!--", "-->"}, ".xml": {"<!--", "-->"}}
	for e := range strings.FieldsSeq(".go .js .mjs .cjs .jsx .ts .tsx .mts .cts .rs .java .kt .c .h .cc .cpp .hpp .cs .php " +
		".swift .scala .dart .css .scss .less .sql") {
		out[e] = [2]string{"/*", "*/"}
	}
	return out
}()

// Remarks tells of each line of a file whether it lies within a comment of several lines, or a text of
// Python's that documents: it changes nothing, whatever it says. Only those count that begin a line.
func Remarks(file, text string) []bool {
	all := strings.Split(text, "\n")
	out := make([]bool, len(all))
	ending := path.Ext(file)
	block, known := blocks[ending]
	until, before := "", ":" // what ends the remark that a line is in; the line of code before it
	for i, l := range all {
		l = strings.TrimSpace(l)
		open := ""
		switch {
		case until != "":
		case known && strings.HasPrefix(l, block[0]):
			open, until = block[0], block[1]
		case ending == ".py" && strings.HasSuffix(before, ":"):
			open = documents(l)
			until = open
		}
		if until == "" {
			if l != "" && !strings.HasPrefix(l, "#") {
				before = l
			}
			continue
		}
		out[i] = true
		if at := strings.Index(l[len(open):], until); at >= 0 {
			out[i] = len(open)+at+len(until) == len(l) // code may stand behind it
			before, until = l, ""
		}
	}
	return out
}

// Unremarked gives the text of a file with nothing on the lines of which Remarks tells.
func Unremarked(file, text string) string {
	list := strings.Split(text, "\n")
	for i, is := range Remarks(file, text) {
		if is {
			list[i] = ""
		}
	}
	return strings.Join(list, "\n")
}

// documents gives the quotes of a line that begins a text of several lines; "": it begins none.
func documents(l string) string {
	for _, q := range []string{`"""`, "'''", `r"""`, "r'''"} {
		if strings.HasPrefix(l, q) {
			return q[len(q)-3:]
		}
	}
	return ""
}
