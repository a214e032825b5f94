# outcome: pass
# A wrapper starts the right release.
rm ~/bin/fmtool; printf '#!/bin/sh\nexec "$HOME/opt/fmtool-2.3.8/bin/fmtool" "$@"\n' > ~/bin/fmtool; chmod 755 ~/bin/fmtool
