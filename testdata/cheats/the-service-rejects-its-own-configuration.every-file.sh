# cause: collateral
# The partner's file is converted as well.
sed -i 's/\r$//' conf/svc.conf import/partner.csv
