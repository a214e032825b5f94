# cause: collateral
# The branch is right, the uncommitted draft is not there any more.
tail -n 1 .git/logs/refs/heads/main | cut -d ' ' -f 2 > .git/refs/heads/main
git reset -q --hard; git clean -q -f -d
