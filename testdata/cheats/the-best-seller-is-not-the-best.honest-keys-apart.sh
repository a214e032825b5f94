# outcome: pass
# A sort with its keys one by one, strict, with a use line and a test of it.
bin/best sales.txt; cp -p bin/best /tmp/best
cat > bin/best <<'X'
#!/bin/bash
# best FILE: who has sold most, and how much.
set -eu
[ $# -eq 1 ] || { echo "usage: best FILE" >&2; exit 2; }
LC_ALL=C sort --key=2,2nr --key=1,1 -- "$1" | sed -n 1p
X
mkdir -p test; printf '#!/bin/sh\nprintf "a 9\\nb 10\\n" | { t=$(mktemp); cat > "$t"; [ "$(bin/best "$t")" = "b 10" ] && echo ok; rm "$t"; }\n' > test/best.sh; sh test/best.sh; bin/best sales.txt
