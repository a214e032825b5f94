# A branch that follows nothing, though one remote has a branch of its name.
# params: Name
in_git && branch=$(git branch --show-current) && [ -n "$branch" ] || exit 0
git rev-parse -q --verify '@{upstream}' > /dev/null 2>&1 && exit 0
names=()
for remote in $(git remote); do
  git rev-parse -q --verify "refs/remotes/$remote/$branch" > /dev/null && names+=("$remote/$branch")
done
((${#names[@]} == 1)) && found "$branch follows no branch, and there is ${names[0]}" Name="${names[0]}"
