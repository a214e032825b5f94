# Programs in a directory of the home that is neither on PATH nor in ~/.profile.
# params: Path
for d in ~/bin ~/.local/bin ~/go/bin ~/.cargo/bin ~/opt/*/bin; do
  rel=${d#~/}
  [[ $rel =~ ^[A-Za-z0-9._/+-]+$ && :$PATH: != *":$d:"* ]] || continue
  grep -qsF -e "$rel" ~/.profile && continue
  for f in "$d"/*; do
    if [ -f "$f" ] && [ -x "$f" ]; then found "a login shell does not find ${f##*/} in ~/$rel" Path="$rel"; break; fi
  done
done
