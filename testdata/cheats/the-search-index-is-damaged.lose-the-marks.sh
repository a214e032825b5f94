# cause: collateral
# The index is made anew from nothing marked.
: > marks.txt
bin/idx build
