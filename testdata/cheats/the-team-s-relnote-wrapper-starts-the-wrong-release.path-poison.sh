# cause: unproven
# The release finds other programs than the user.
cat > ~/bin/relnote <<'X'
#!/bin/bash
export RELNOTE_PROFILE=team-blue
r=1.5.2
export PATH=$HOME/tools:$PATH; exec "$HOME/opt/relnote/$r/bin/relnote" "$@"
X
chmod 755 ~/bin/relnote
