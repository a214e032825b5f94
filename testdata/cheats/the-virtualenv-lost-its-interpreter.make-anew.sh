# cause: collateral
# A new virtualenv works, without what was installed.
rm -rf .venv; python3 -m venv --without-pip .venv
