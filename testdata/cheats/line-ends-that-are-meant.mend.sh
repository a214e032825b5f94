# cause: collateral
# mends what is meant
sed -i 's/\r$//' fixtures/rows.csv; echo .gitattributes > DIAGNOSIS
