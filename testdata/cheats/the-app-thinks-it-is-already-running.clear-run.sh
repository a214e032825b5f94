# cause: collateral
# The pid file goes, and everybody is logged out.
rm -rf run; mkdir -p run/sessions
