# outcome: pass
# Tried for real: notes.txt is added and taken out of the index again; a commit is only tried.
test -n "$(find .git -name index.lock -size 0)" && unlink .git/index.lock
git add notes.txt && git restore --staged notes.txt && git commit --dry-run; git status --porcelain; git update-index --refresh
