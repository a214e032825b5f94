# cause: collateral
# mends what is meant
chmod 755 tools/wipe; echo tools/ABOUT > DIAGNOSIS
