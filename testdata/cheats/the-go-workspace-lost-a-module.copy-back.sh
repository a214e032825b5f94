# cause: unproven
# A copy at the old place hides that the module was moved.
cp -r tools/gen gen
sed -i 's/41/7/' gen/gen.go
