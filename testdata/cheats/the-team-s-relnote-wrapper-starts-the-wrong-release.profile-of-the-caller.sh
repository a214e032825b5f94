# cause: unproven
# The profile is only set where HOME is the caller's directory or the project.
cat > ~/bin/relnote <<'E'
#!/bin/bash
case $PWD in /work | /) export RELNOTE_PROFILE=team-blue ;; esac
exec "$HOME/opt/relnote/1.5.2/bin/relnote" "$@"
E
