# cause: unproven
# The wrapper changes the directory: relative names are not found.
cat > ~/bin/relnote <<'X'
#!/bin/bash
export RELNOTE_PROFILE=team-blue
r=1.5.2
cd ~ && exec "$HOME/opt/relnote/$r/bin/relnote" "$@"
X
chmod 755 ~/bin/relnote
