# Virtualenvs whose Python does not run.
# params: Path
for c in */pyvenv.cfg .[!.]*/pyvenv.cfg; do
  d=${c%/pyvenv.cfg}
  timeout 5 "$d/bin/python" -I -c 1 > /dev/null 2>&1 || found "$d/bin/python does not run" Path="$d"
done
