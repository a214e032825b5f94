# A repository with commits where git refuses to commit, since it does not know who does.
# params:
in_git && git rev-parse -q --verify HEAD > /dev/null && ! git var GIT_COMMITTER_IDENT > /dev/null 2>&1 &&
  found "git does not know whose commits are made here; the last was by $(git log -1 --format='%an <%ae>')"
