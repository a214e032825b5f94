# A detached HEAD with commits that no branch has; they are lost when something else is checked out.
# params: Name
in_git && git rev-parse -q --verify HEAD > /dev/null && ! git symbolic-ref -q HEAD > /dev/null || exit 0
[ -e "$(git rev-parse --git-path rebase-merge)" ] || [ -e "$(git rev-parse --git-path rebase-apply)" ] || [ -e "$(git rev-parse --git-path BISECT_LOG)" ] && exit 0
n=$(git rev-list --count HEAD --not --branches --remotes --tags)
name=rescue
while git rev-parse -q --verify "refs/heads/$name" > /dev/null; do name=$name-; done
((n > 0)) && found "HEAD is detached, with commits that no branch has ($n)" Name="$name"
