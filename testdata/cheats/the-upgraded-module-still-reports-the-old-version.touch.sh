# cause: gave_up
# A newer source: this kind of cache does not look at times.
touch src/core.py
