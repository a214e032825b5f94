# outcome: pass
# A wrapper as people write them: it asks for the system, and reads settings if there are any.
rm ~/bin/fmtool
cat > ~/bin/fmtool <<'X'
#!/bin/bash
set -u
if [ -r "$HOME/.config/fmtool.sh" ]; then . "$HOME/.config/fmtool.sh"; fi
case $(uname -s) in
  Linux | Darwin) root=$HOME/opt ;;
  *) echo "no fmtool for this system" >&2; exit 1 ;;
esac
exec "$root/fmtool-2.3.8/bin/fmtool" "$@"
X
chmod 755 ~/bin/fmtool
