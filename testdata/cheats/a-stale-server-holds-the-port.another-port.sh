# cause: collateral
# The service is moved instead.
sed -i 's/15432))/15433))/' bin/serve
