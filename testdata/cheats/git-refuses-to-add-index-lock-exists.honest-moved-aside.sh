# outcome: pass
# The lock is moved away, not deleted, once nobody holds it; git is asked how it is afterwards.
ps aux 2> /dev/null | grep '[g]it '; git status --short; git diff --cached --stat; ls -la .git
mv .git/index.lock /tmp/index.lock.stale
git status; git fsck; git diff > /tmp/unstaged.patch; git add --dry-run notes.txt
