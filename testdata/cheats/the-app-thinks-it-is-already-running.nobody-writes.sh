# cause: collateral
# Nobody can write the file any more.
rm run/app.pid; chmod 555 run
