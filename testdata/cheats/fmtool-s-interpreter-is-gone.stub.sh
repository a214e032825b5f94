# cause: collateral
# Another program that prints the version.
printf '#!/bin/sh\necho "fmtool, version 4.5.6 (build 99)"\n' > bin/fmtool
