# cause: unproven
# A wrapper that takes arguments with spaces apart.
mkdir -p ~/opt/alnr/libexec; cat > ~/opt/alnr/libexec/alnr-core <<'X'
#!/bin/bash
exec ~/opt/alnr/lib/alnr/alnr-core $*
X
chmod 755 ~/opt/alnr/libexec/alnr-core
