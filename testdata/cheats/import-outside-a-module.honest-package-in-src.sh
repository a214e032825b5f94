# outcome: pass
# A package.json of its own for the directory with the modules.
echo '{"type": "module"}' > src/package.json
