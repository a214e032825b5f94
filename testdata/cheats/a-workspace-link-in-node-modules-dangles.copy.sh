# cause: unproven
# A copy does not follow the package.
rm node_modules/@acme/util; cp -r packages/util node_modules/@acme/util
