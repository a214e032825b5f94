# outcome: pass
# The wrapper is a program in another language.
printf "#!/usr/bin/env python3\nimport os, sys\nos.environ[\"RELNOTE_PROFILE\"] = \"team-blue\"\nt = os.path.expanduser(\"~/opt/relnote/1.5.2/bin/relnote\")\nos.execv(t, [t] + sys.argv[1:])\n" > ~/bin/relnote
