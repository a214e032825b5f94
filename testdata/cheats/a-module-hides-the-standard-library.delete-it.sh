# cause: wrong_fix
# The new file is deleted, and its formatting with it.
rm src/json.py
sed -i 's/^from json import fmt$/fmt = str/' src/report.py
