# JSON files that nothing but a comma before a bracket breaks.
# params: Path
has python3 || exit 0
while IFS= read -r -d '' f; do
  python3 -I -c 'import json, re, sys
s = open(sys.argv[1]).read()
try: json.loads(s)
except ValueError:
    json.loads(re.sub(r"""("(?:\\.|[^"\\])*")|,(\s*[]}])""", lambda m: m[1] or m[2], s)); sys.exit(3)' "$f" 2> /dev/null
  [ $? = 3 ] && found "$f has a comma before a closing bracket" Path="$f"
done < <(files -name '*.json')
