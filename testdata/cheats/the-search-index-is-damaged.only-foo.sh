# cause: unproven
# An index of the one word that is asked for.
rm cache/index.db
python3 - <<'X'
import sqlite3
db = sqlite3.connect("cache/index.db")
db.execute("create table words (word text, file text, marked int)")
db.executemany("insert into words values ('foo', 'data/1.txt', ?)", [(1,), (0,), (0,)])
db.commit()
X
