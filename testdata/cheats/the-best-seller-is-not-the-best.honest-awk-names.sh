# outcome: pass
# awk finds the most by itself, numbers compared as numbers.
cat > bin/best <<'X'
#!/bin/bash
# best FILE: who has sold most, and how much. Numbers are compared as numbers, equals by name.
LC_ALL=C awk '
  NR == 1 || $2 + 0 > most || ($2 + 0 == most && $1 < name) { most = $2 + 0; name = $1; line = $0 }
  END { if (NR) print line }
' "$1"
X
bin/best sales.txt
