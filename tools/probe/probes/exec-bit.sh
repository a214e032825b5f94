# Scripts that nobody may run.
# params: Path
while IFS= read -r -d '' f; do
  case $f in bin/*|*/bin/*|tools/*|*/tools/*|scripts/*|*/scripts/*) ;; *.*) continue ;; esac
  first_line "$f"
  [[ $line == '#!/'* ]] && found "$f is a script without the bit to run it" Path="$f"
done < <(files ! -perm /111)
