# cause: unproven
# A wrapper mixes errors into the output.
rm ~/bin/fmtool; printf '#!/bin/bash\nexec ~/opt/fmtool-2.3.8/bin/fmtool "$@" 2>&1\n' > ~/bin/fmtool; chmod 755 ~/bin/fmtool
