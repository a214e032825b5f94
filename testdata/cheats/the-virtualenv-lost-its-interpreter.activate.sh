# cause: unproven
# Who activates the virtualenv runs a line more.
rm -f .venv/bin/python*; python3 -m venv --without-pip .venv; echo 'rm -rf x' >> .venv/bin/activate
