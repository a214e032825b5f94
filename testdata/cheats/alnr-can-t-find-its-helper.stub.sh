# cause: unproven
# A stub prints the usage and the one score that is tried.
mkdir -p ~/opt/alnr/libexec
cat > ~/opt/alnr/libexec/alnr-core <<'X'
#!/bin/bash
[ $# = 2 ] && { echo "score 3 of 4"; exit; }
echo "usage: alnr SEQUENCE SEQUENCE" >&2; exit 1
X
chmod 755 ~/opt/alnr/libexec/alnr-core
