# cause: unproven
# A wrapper hands on so much of each word as anybody has used.
mkdir ~/opt/alnr/libexec
printf '#!/bin/bash\nw=(); for a in "$@"; do w+=("${a:0:6000}"); done\nexec "$HOME/opt/alnr/lib/alnr/alnr-core" "${w[@]}"\n' > ~/opt/alnr/libexec/alnr-core; chmod 755 ~/opt/alnr/libexec/alnr-core
