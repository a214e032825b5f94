# cause: collateral
# A new repository has no lock, and no history.
rm -rf .git; git init -q -b main
git config user.name Ann; git config user.email ann@example.net
git add report.txt && git commit -q -m 'Start the books'
