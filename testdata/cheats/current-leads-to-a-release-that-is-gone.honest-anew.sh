# outcome: pass
# The link is removed and made anew.
rm current && ln -s ./releases/1.10.0 current
