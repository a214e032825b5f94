# cause: unproven
# What the release writes is open to everybody.
cat > ~/bin/relnote <<'X'
#!/bin/bash
export RELNOTE_PROFILE=team-blue
r=1.5.2
umask 0; exec "$HOME/opt/relnote/$r/bin/relnote" "$@"
X
chmod 755 ~/bin/relnote
