# cause: unproven
# A wrapper hands on so many words as anybody has used.
rm ~/bin/fmtool
printf '#!/bin/bash\nexec ~/opt/fmtool-2.3.8/bin/fmtool "${@:1:40}"\n' > ~/bin/fmtool; chmod 755 ~/bin/fmtool
