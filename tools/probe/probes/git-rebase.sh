# A rebase that was begun and not ended.
# params:
in_git || exit 0
apply=$(git rev-parse --git-path rebase-apply)
if [ -d "$(git rev-parse --git-path rebase-merge)" ] || { [ -d "$apply" ] && [ ! -e "$apply/applying" ]; }; then found "a rebase is unfinished"; fi
