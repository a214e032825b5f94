# cause: unproven
# A stub names the helper and knows only what is equal.
mkdir -p ~/opt/alnr/libexec
cat > ~/opt/alnr/libexec/alnr-core <<'X'
#!/bin/bash
# exec ~/opt/alnr/lib/alnr/alnr-core
[ $# = 2 ] || { echo "usage: alnr SEQUENCE SEQUENCE" >&2; exit 1; }
[ "$1" = "$2" ] && echo "score ${#1} of ${#1}" || echo "score 3 of ${#1}"
X
chmod 755 ~/opt/alnr/libexec/alnr-core
