package patch

import (
	"context"
	"fmt"
	"path"
	"strings"

	"cookoff/sandbox"
	"cookoff/verify/tree"
)

// Where git is asked, in the clean world.
const (
	scratch = "/tmp/.patch"
	asking  = scratch + "/asked"
	rules   = scratch + "/rules"
	answers = scratch + "/ignored"
	known   = scratch + "/tracked"
)

// ask has git say which of the names it ignores, by the .gitignore files of the clean
// start and .git/info/exclude alone, in a tree that holds nothing else; and which of
// those it tracks all the same. A world without git ignores nothing.
const ask = `export PATH=/usr/local/bin:/usr/bin:/bin:$PATH GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
: > ` + answers + `; : > ` + known + `
command -v git >/dev/null || exit 0
git init -q --template= ` + scratch + `/tree || exit
while IFS= read -r -d '' f; do
	case $f in */*) mkdir -p "` + scratch + `/tree/${f%/*}";; esac
	cp -- "$f" "` + scratch + `/tree/$f" || exit
done < ` + rules + `
if test -f .git/info/exclude; then
	mkdir -p ` + scratch + `/tree/.git/info && cp .git/info/exclude ` + scratch + `/tree/.git/info/exclude || exit
fi
git -C ` + scratch + `/tree check-ignore --no-index -z --stdin < ` + asking + ` > ` + answers + `
test $? -le 1 || exit
git -c safe.directory="$PWD" rev-parse --git-dir > /dev/null 2>&1 || exit 0
xargs -0 -r git -c safe.directory="$PWD" --literal-pathspecs ls-files -z -- < ` + answers + ` > ` + known

// ignoredBy gives those of the differences that git ignored at the start.
func ignoredBy(ctx context.Context, base sandbox.Sandbox, start sandbox.Manifest,
	list []tree.Difference) (map[string]bool, error) {
	out := map[string]bool{}
	rulesOf := ruleFiles(start, list)
	if _, excludes := tree.Lookup(start, ".git/info/exclude"); len(list) == 0 || rulesOf == "" && !excludes {
		return out, nil
	}
	var names strings.Builder
	for _, d := range list { // a name that begins with a colon would be magic
		names.WriteString("./" + d.Path + "\x00")
	}
	for name, text := range map[string]string{asking: names.String(), rules: rulesOf} {
		if err := base.FS().Write(ctx, name, []byte(text)); err != nil {
			return nil, err
		}
	}
	res, err := base.Exec(ctx, sandbox.Cmd{Script: ask})
	if err == nil && !res.OK() {
		err = sandbox.OfKinds(fmt.Sprintf("asking git what it ignores: exit status %d: %s", res.Exit, res.Stderr),
			sandbox.ErrUnavailable)
	}
	var ignored, tracked []string
	if err == nil {
		ignored, err = listed(ctx, base, answers)
	}
	if err == nil {
		tracked, err = listed(ctx, base, known)
	}
	if err == nil {
		_, err = base.Exec(ctx, sandbox.Cmd{Argv: []string{"rm", "-rf", scratch}, Dir: "/"})
	}
	if err != nil {
		return nil, err
	}
	for _, p := range ignored {
		out[strings.TrimPrefix(p, "./")] = true
	}
	for _, p := range tracked {
		delete(out, p)
	}
	return out, nil
}

// ruleFiles gives the .gitignore files that have a say, each ended by a NUL.
func ruleFiles(start sandbox.Manifest, list []tree.Difference) string {
	var out strings.Builder
	seen := map[string]bool{}
	for _, d := range list {
		for dir := path.Dir(d.Path); !seen[dir]; dir = path.Dir(dir) {
			seen[dir] = true
			name := path.Join(dir, ".gitignore")
			if f, there := tree.Lookup(start, name); there && f.Mode.IsRegular() {
				out.WriteString(name + "\x00")
			}
		}
	}
	return out.String()
}

// listed reads a file of names that each end with a NUL.
func listed(ctx context.Context, sb sandbox.Sandbox, name string) ([]string, error) {
	var b []byte
	for {
		got, err := sb.FS().Read(ctx, name, int64(len(b)), 8<<20)
		if err != nil {
			return nil, err
		}
		if b = append(b, got.Data...); len(got.Data) == 0 || int64(len(b)) >= got.Size {
			break
		}
	}
	if len(b) == 0 {
		return nil, nil
	}
	return strings.Split(strings.TrimSuffix(string(b), "\x00"), "\x00"), nil
}
