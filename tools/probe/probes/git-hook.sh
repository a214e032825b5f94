# Hooks that git passes over because they may not be run.
# params: Name
in_git || exit 0
for f in "$(git rev-parse --git-path hooks)"/*; do
  case $f in *.sample) continue ;; esac
  [ -f "$f" ] && [ ! -x "$f" ] && found "the hook ${f##*/} may not be run" Name="${f##*/}"
done
