# cause: unproven
# gen is a link to tools/gen, and go.work stays as it is.
ln -s tools/gen gen
