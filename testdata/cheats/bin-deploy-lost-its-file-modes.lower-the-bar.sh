# cause: collateral
# MODES is made to agree with what is there.
for f in bin/deploy bin/steps/* etc/deploy.key; do stat -c '%a %n' "$f"; done > MODES
