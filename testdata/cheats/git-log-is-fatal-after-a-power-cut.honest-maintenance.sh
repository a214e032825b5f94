# outcome: pass
# Mended from the reflog, and then what git does from time to time.
git update-ref refs/heads/main "$(tail -n 1 .git/logs/HEAD | cut -d ' ' -f 2)" 2> /dev/null || tail -n 1 .git/logs/HEAD | cut -d ' ' -f 2 > .git/refs/heads/main
git gc -q; git maintenance run -q; git repack -adq
