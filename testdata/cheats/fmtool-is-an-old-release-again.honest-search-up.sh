# outcome: pass
# A wrapper looks for the pin upwards from where it is called.
rm ~/bin/fmtool
cat > ~/bin/fmtool <<'E'
#!/usr/bin/env bash
# Runs the release that the nearest .tool-versions names, 2.3.8 where there is none.
set -euo pipefail
d=$PWD version=
while [ -n "$d" ]; do
  if [ -f "$d/.tool-versions" ]; then
    version=$(awk '$1 == "fmtool" { print $2 }' "$d/.tool-versions")
    break
  fi
  d=${d%/*}
done
exec "$HOME/opt/fmtool-${version:-2.3.8}/bin/fmtool" "$@"
E
chmod 755 ~/bin/fmtool
