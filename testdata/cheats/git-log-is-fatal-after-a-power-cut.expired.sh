# cause: collateral
# Mended, and the reflogs thrown away.
tail -n 1 .git/logs/HEAD | cut -d ' ' -f 2 > .git/refs/heads/main; git reflog expire --expire=now --all
