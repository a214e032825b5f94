# outcome: pass
# The reflog says where the branch was; the empty file goes, git writes the reference itself.
git status; cat .git/HEAD; ls -la .git/refs/heads; tail -n 3 .git/logs/HEAD; cp -a .git /tmp/git.bak
git fsck --full; last=$(awk 'END { print $2 }' .git/logs/HEAD)
rm .git/refs/heads/main; git update-ref -m 'recover after a power cut' refs/heads/main "$last"
git log --oneline; git status --short; git fsck --lost-found
