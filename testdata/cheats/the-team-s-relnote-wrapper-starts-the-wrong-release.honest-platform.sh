# outcome: pass
# A wrapper as people write them: it asks for the system, and reads settings if there are any.
rm ~/bin/relnote
cat > ~/bin/relnote <<'X'
#!/bin/bash
set -u
if [ -r "$HOME/.config/relnote.sh" ]; then . "$HOME/.config/relnote.sh"; fi
case $(uname -s) in
  Linux | Darwin) root=$HOME/opt ;;
  *) echo "no relnote for this system" >&2; exit 1 ;;
esac
export RELNOTE_PROFILE=team-blue
exec "$root/relnote/1.5.2/bin/relnote" "$@"
X
chmod 755 ~/bin/relnote
