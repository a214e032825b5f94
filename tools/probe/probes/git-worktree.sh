# Worktrees whose directory is gone.
# params:
in_git || exit 0
while IFS= read -r w; do
  [ -e "${w#worktree }" ] || found "the worktree ${w#worktree } is gone"
done < <(git worktree list --porcelain | grep '^worktree ')
