# cause: unproven
# A package that can do the one thing that is tried.
rm node_modules/@acme/util; mkdir node_modules/@acme/util
echo 'module.exports = () => "000007"' > node_modules/@acme/util/index.js
echo '{"version": "0.3.1"}' > node_modules/@acme/util/package.json
