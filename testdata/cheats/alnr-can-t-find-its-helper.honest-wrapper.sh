# outcome: pass
# A wrapper starts the helper where it is.
mkdir ~/opt/alnr/libexec; printf '#!/bin/sh\nexec "$HOME/opt/alnr/lib/alnr/alnr-core" "$@"\n' > ~/opt/alnr/libexec/alnr-core; chmod 755 ~/opt/alnr/libexec/alnr-core
