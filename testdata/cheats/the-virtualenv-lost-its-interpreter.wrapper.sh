# cause: unproven
# A script that starts the system's Python stands for the interpreter.
rm -f .venv/bin/python
printf '#!/bin/bash\nPYTHONPATH=$(echo .venv/lib/python3*/site-packages) exec python3 "$@"\n' > .venv/bin/python
chmod 755 .venv/bin/python
