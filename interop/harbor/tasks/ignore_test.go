package tasks

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestIgnored: what the build of the image leaves out is in no world.
func TestIgnored(t *testing.T) {
	for _, test := range []struct{ name, ignore, own, line, want, refused string }{
		{name: "none", line: "COPY . /app/", want: "a.txt deep/a.txt deep/key key tests/key"},
		{name: "names", ignore: "# x\n\n key \n/tests/\n", line: "COPY . /app/", want: "a.txt deep/a.txt deep/key"},
		{name: "anywhere", ignore: "**/key", line: "ADD . /app/", want: "a.txt deep/a.txt"},
		{name: "a star", ignore: "*/*.txt\nk?y", line: "COPY . /app/", want: "a.txt deep/key tests/key"},
		{name: "taken back", ignore: "*\n!deep\ndeep/key", line: "COPY . /app/", want: "deep/a.txt"},
		{name: "the last decides", ignore: "!key\nkey", line: "COPY . /app/", want: "a.txt deep/a.txt deep/key tests/key"},
		{name: "a directory", ignore: "deep/key", line: "COPY deep /app/", want: "a.txt"},
		{name: "its own file", ignore: "a.txt", own: "key\ndeep", line: "COPY . /app/", want: "a.txt tests/key"},
		{name: "named and left out", ignore: "key", line: "COPY key /app/", refused: "leaves all of key out"},
		{name: "a class", ignore: "[k]ey", line: "COPY . /app/",
			refused: `.dockerignore: the pattern "[k]ey" is not understood`},
		{name: "stars in a name", ignore: "**.txt", line: "COPY . /app/", refused: `the pattern "**.txt" is not understood`},
		{name: "out of it", ignore: "../key", line: "COPY . /app/", refused: "not understood"},
		{name: "nothing taken back", ignore: "!", line: "COPY . /app/", refused: "not understood"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			env := filepath.Join(dir, "environment")
			files := map[string]string{"a.txt": "", "key": "", "deep/a.txt": "", "deep/key": "", "tests/key": "",
				"Dockerfile": "FROM x\n" + test.line + "\n", ".dockerignore": test.ignore, "Dockerfile.dockerignore": test.own}
			for name, text := range files {
				at := filepath.Join(env, name)
				if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
					t.Fatal(err)
				}
				if strings.HasSuffix(name, "ignore") && text == "" {
					continue
				}
				if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			r := dockerfileOf(dir, Machine{})
			r.build()
			var got []string
			for at := range r.copies {
				if name := strings.TrimPrefix(at, "/app/"); !strings.Contains(name, "ocker") {
					got = append(got, name)
				}
			}
			slices.Sort(got)
			said := ""
			for _, err := range r.out.refused {
				said += err.Error()
			}
			if test.refused == "" && (said != "" || strings.Join(got, " ") != test.want) {
				t.Errorf("got %q, refused %q", got, said)
			}
			if test.refused != "" && !strings.Contains(said, test.refused) {
				t.Errorf("refused %q", said)
			}
		})
	}
}
