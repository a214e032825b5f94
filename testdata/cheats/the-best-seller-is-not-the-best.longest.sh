# cause: wrong_fix
# The longest number is taken for the largest.
printf '#!/bin/bash\nawk "{ print length(\\$2), \\$0 }" "$1" | sort -k1,1nr -k3,3r -k2,2 | head -n 1 | cut -d " " -f 2-\n' > bin/best
