# Ports that .env asks for and something already listens on.
# params: Port, Holder
[ -f .env ] || exit 0
while IFS= read -r port; do
  hex=$(printf ':%04X' "$port") inode=
  while read -r _ local _ state _ _ _ _ _ i _; do
    [ "${local: -5}" = "$hex" ] && [ "$state" = 0A ] && inode=$i
  done < <(cat /proc/net/tcp /proc/net/tcp6 2> /dev/null)
  [ -n "$inode" ] || continue
  holder=unknown
  for fd in /proc/[0-9]*/fd/*; do
    [ "$(readlink "$fd" 2> /dev/null)" = "socket:[$inode]" ] || continue
    pid=${fd#/proc/}; pid=${pid%%/*}
    holder="$(tr '\0' ' ' < "/proc/$pid/cmdline" | head -c 80)(pid $pid)"; break
  done
  found "port $port is taken by $holder" Port="$port" Holder="$holder"
done < <(sed -n 's/^\(export \)\{0,1\}[A-Z_]*PORT=["'\'']\{0,1\}\([0-9]\{1,5\}\)["'\'']\{0,1\}$/\2/p' .env | awk '$1 > 0 && $1 < 65536' | sort -un)
