# cause: collateral
# Every step runs, but everybody may change what they run.
chmod 777 bin/deploy bin/steps/[0-9]*
chmod 600 etc/deploy.key
