# cause: gave_up
# A cache of the same kind: it has the new version, and does not see the next.
python3 -c 'import py_compile as p; p.compile("src/core.py", invalidation_mode=p.PycInvalidationMode.UNCHECKED_HASH)'
