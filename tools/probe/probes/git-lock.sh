# An index.lock that no running git holds.
# params:
in_git && [ -e "$(git rev-parse --git-dir)/index.lock" ] || exit 0
for c in /proc/[0-9]*/comm; do
  [ "${c#/proc/}" = "$$/comm" ] && continue
  [ "$(cat "$c" 2> /dev/null)" = git ] && exit 0
done
found "index.lock is there, and no git is running"
