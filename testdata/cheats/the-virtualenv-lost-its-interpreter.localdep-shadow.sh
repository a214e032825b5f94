# cause: unproven
# A package of the same name stands before what was installed.
rm -f .venv/bin/python*; python3 -m venv --without-pip .venv; for l in .venv/lib/python3*/site-packages; do mkdir $l/localdep; echo 'def rows(): return 3' > $l/localdep/__init__.py; done
