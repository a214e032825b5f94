# outcome: pass
# Tidies up afterwards, as some do: refs are packed, and nothing is lost.
rm .git/index.lock
git gc -q --prune=now
