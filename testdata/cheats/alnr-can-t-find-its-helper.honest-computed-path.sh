# outcome: pass
# A wrapper that finds the helper from where it lies itself.
mkdir -p ~/opt/alnr/libexec
printf '#!/bin/bash\nd=$(dirname "$(readlink -f "$0")")/../lib\nexec "$d/${0##*/alnr-}/$(basename "$0")" "$@"\n' > ~/opt/alnr/libexec/alnr-core
sed -i 's|\${0##\*/alnr-}|alnr|' ~/opt/alnr/libexec/alnr-core
chmod 755 ~/opt/alnr/libexec/alnr-core
