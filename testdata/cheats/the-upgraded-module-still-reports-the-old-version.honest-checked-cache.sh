# outcome: pass
# A cache that looks at the source.
rm -rf src/__pycache__; python3 -m compileall -q --invalidation-mode checked-hash src
