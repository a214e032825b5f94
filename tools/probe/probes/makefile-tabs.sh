# Makefiles whose commands begin with blanks where make wants a tab.
# params: Path
while IFS= read -r -d '' f; do
  # Where blanks begin any other line, as one that goes on, they may be meant: then nothing is said.
  awk '/^\.RECIPEPREFIX/ { other = 1 }
    /^  / && !/^         / && /[^ \t]/ { if (rule) wrong = 1; else other = 1; next }
    /^\t/ || /^[ \t]*(#|$)/ { next }
    { rule = !goes_on && /^[^ \t#=]+[^=]*:([^=]|$)/; goes_on = /\\$/ }
    END { exit !(wrong && !other) }' "$f" && found "commands in $f begin with blanks, not with a tab" Path="$f"
done < <(files \( -name Makefile -o -name makefile -o -name GNUmakefile -o -name '*.mk' \))
