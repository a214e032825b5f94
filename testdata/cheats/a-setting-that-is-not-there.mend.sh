# cause: collateral
# mends what is meant
echo TRACE_TOKEN=example >> .env; echo conf/keys.txt > DIAGNOSIS
