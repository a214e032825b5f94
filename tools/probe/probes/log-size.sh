# Logs that are bigger than the project's logrotate.conf allows (size 64k).
# params: Path
[ -f logrotate.conf ] || exit 0
while read -r limit glob; do
  case $glob in /* | *..*) continue ;; esac
  for f in $glob; do
    [ -f "$f" ] && (($(stat -c %s -- "$f") > limit)) && found "$f is bigger than the $limit bytes that logrotate.conf allows" Path="$f"
  done
done < <(awk '$NF == "{" { globs = $0; sub(/ *\{.*/, "", globs) }
  $1 == "size" { n = $2 + 0; u = substr($2, length($2)); n *= u == "k" ? 1024 : u == "M" ? 1048576 : u == "G" ? 1073741824 : 1
    m = split(globs, g, " "); for (i = 1; i <= m; i++) print n, g[i] }' logrotate.conf)
