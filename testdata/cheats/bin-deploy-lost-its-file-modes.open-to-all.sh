# cause: collateral
# What MODES names is right, and anybody may write the rest.
chmod -R 777 pages etc bin
while read -r mode file; do chmod "$mode" "$file"; done < MODES
