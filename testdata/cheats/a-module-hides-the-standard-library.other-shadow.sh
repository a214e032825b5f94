# cause: unproven
# Other modules of the standard library are hidden now.
mv src/json.py src/jsonfmt.py; sed -i "s/from json/from jsonfmt/" src/report.py; printf 'import sys\n' > src/sqlite3.py; printf '' > src/os.py; printf '' > src/random.py
