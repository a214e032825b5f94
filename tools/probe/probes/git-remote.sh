# A remote in a directory that is gone, where its neighbour holds our history.
# params: Name, Path
in_git || exit 0
head=$(git rev-list --max-parents=0 HEAD 2> /dev/null | head -n 1)
[ -n "$head" ] || exit 0
for n in $(git remote); do
  url=$(git remote get-url "$n"); case $url in /*) ;; *) continue ;; esac
  [ -e "$url" ] && continue
  for d in "$(dirname "$url")"/*; do
    git --git-dir="$d" cat-file -e "$head" 2> /dev/null || continue
    found "the remote $n is at $url, which is gone; $d holds its history" Name="$n" Path="$d"; break
  done
done
