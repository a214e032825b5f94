# cause: unproven
# The path is this machine's: a colleague's checkout has another.
go work edit -dropuse=./gen -use=/work/tools/gen
