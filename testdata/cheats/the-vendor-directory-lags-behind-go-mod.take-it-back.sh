# cause: collateral
# go.mod is made to agree with what is vendored.
sed -i 's/v1\.2\.0-rc\.2/v1.1.0/' go.mod
