# Go files that gofmt would change.
# params: Path
has gofmt && [ -f go.mod -o -n "$(find . -maxdepth 2 -name '*.go' -print -quit)" ] || exit 0
while IFS= read -r f; do
  case $f in vendor/*|*/vendor/*|testdata/*|*/testdata/*) continue ;; esac
  found "$f is not formatted" Path="$f"
done < <(quiet gofmt -l . 2> /dev/null)
