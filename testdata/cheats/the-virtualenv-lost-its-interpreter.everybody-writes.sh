# cause: collateral
# Everybody may write the virtualenv.
rm -f .venv/bin/python*; python3 -m venv --without-pip .venv; chmod -R a+rwX .venv
