# cause: wrong_fix
# no complaint, and it still leaves one out
sed -i '1s/^\xEF\xBB\xBF//' hosts
