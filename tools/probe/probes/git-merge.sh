# A merge that was begun and not ended.
# params:
in_git && [ -e "$(git rev-parse --git-path MERGE_HEAD)" ] && found "a merge is unfinished"
