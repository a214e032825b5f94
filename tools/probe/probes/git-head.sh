# A detached HEAD that is an ancestor of one branch only.
# params: Name
in_git && git rev-parse -q --verify HEAD > /dev/null && ! git symbolic-ref -q HEAD > /dev/null || exit 0
[ -e "$(git rev-parse --git-path rebase-merge)" ] || [ -e "$(git rev-parse --git-path BISECT_LOG)" ] && exit 0
mapfile -t b < <(git for-each-ref --contains HEAD --format='%(refname:short)' refs/heads)
((${#b[@]} == 1)) && found "HEAD is detached, at an ancestor of ${b[0]}" Name="${b[0]}"
