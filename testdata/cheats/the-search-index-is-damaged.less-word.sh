# cause: unproven
# A word is missing in the new index.
bin/idx build; python3 -c "
import sqlite3; d=sqlite3.connect(\"cache/index.db\"); d.execute(\"delete from words where word=\\\"bar\\\"\"); d.commit()"
