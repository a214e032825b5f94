# outcome: pass
# First the packed commit, which was the wrong one; then what the log of HEAD has, with git reset --soft.
rm -f .git/refs/heads/main; git log -1 --format=%s; git branch backup-packed
git fsck --no-reflogs --unreachable | tail -n 3
last=$(sed -n '$s/^[0-9a-f]* \([0-9a-f]*\) .*/\1/p' .git/logs/HEAD); git reset -q --soft "$last"
git log --oneline | cat; git branch -D backup-packed; git status --short
