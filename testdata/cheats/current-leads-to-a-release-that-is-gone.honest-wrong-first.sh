# outcome: pass
# First the newest by number, which is not whole; then the right one, with a ./ before it. The old link is kept.
mv current current.old; ln -s releases/1.11.0 current; bin/status; rm current
ln -s ./releases/1.10.0/ current; bin/status; readlink current
