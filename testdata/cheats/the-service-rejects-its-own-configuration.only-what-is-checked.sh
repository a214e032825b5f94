# cause: collateral
# The file is written anew, without its comments.
printf 'port=8443\nworkers=6\nbuild=1042\n' > conf/svc.conf
