# outcome: pass
# The path is written out.
readlink -f .gitattributes > DIAGNOSIS
