# A cherry-pick that was begun and not ended.
# params:
in_git && [ -e "$(git rev-parse --git-path CHERRY_PICK_HEAD)" ] && [ ! -d "$(git rev-parse --git-path rebase-merge)" ] && found "a cherry-pick is unfinished"
