# Scripts whose lines end in CR LF, which the kernel and the shell take for part of a word.
# params: Path
while IFS= read -r -d '' f; do
  first_line "$f"
  case $f in *.sh|*.bash|*.env|*.conf) ;; *) [[ $line == '#!'* ]] || continue ;; esac
  grep -q $'\r$' -- "$f" && found "lines of $f end in CR LF" Path="$f"
done < <(files)
