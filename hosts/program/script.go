package program

import (
	"fmt"
	"strings"
)

// mark is what stands before what the script says.
const mark = "\x00cookoff:"

// program is what any shell does to have and start a program. It is one line: a shell
// may read more than a line ahead of what it does. Guests may be of other users: they may
// run it. Of those it keeps, what nobody has used
// for a month is removed.
const program = `umask 077; say() { printf '\000cookoff:%s\n' "$*"; }; ` +
	`all=${XDG_CACHE_HOME:-${HOME:-/}/.cache}/cookoff/programs; d=$all/@BUILD@; p=$d/cookoff; ` +
	`whole() { [ -x "$1" ] && [ "$(wc -c < "$1")" -eq @SIZE@ ]; }; ` +
	`if ! whole "$p"; then ` +
	`mkdir -p "$d" && t=$(mktemp "$d/new-XXXXXX") && chmod 755 "$t" || { say "no file can be made in $d"; exit 1; }; ` +
	`z=cat; command -v gzip > /dev/null 2>&1 && z=gzip; say wants "$(uname -s)" "$(uname -m)" "$z"; ` +
	`read -r n || n=0; if [ "$z" = gzip ]; then head -c "$n" | gzip -dc > "$t"; else head -c "$n" > "$t"; fi; ` +
	`whole "$t" && mv -f "$t" "$p" || { rm -f "$t"; say "it did not arrive whole in $d"; exit 1; }; fi; ` +
	`touch "$d"; find "$all" -mindepth 1 -maxdepth 1 -mtime +30 -exec rm -rf {} + 2> /dev/null; ` +
	`say starts; exec "$p" hand` + "\n"

// script is the program's, with its build and size.
func script(build string, size int64) string {
	return strings.NewReplacer("@BUILD@", build, "@SIZE@", fmt.Sprint(size)).Replace(program)
}
