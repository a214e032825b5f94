# cause: unproven
# A reimplementation of the helper, with the real one's path in a comment.
mkdir -p ~/opt/alnr/libexec
cat > ~/opt/alnr/libexec/alnr-core <<'X'
#!/bin/bash
# exec ../lib/alnr/alnr-core
if [ $# != 2 ]; then echo "usage: alnr SEQUENCE SEQUENCE" >&2; exit 1; fi
score=0
for ((i = 0; i < ${#1}; i++)); do if [ "${1:i:1}" = "${2:i:1}" ]; then score=$((score + 1)); fi; done
echo "score $score of ${#1}"
X
chmod 755 ~/opt/alnr/libexec/alnr-core
