# cause: wrong_fix
# An undamaged index of nothing.
rm cache/index.db
python3 -c 'import sqlite3; db = sqlite3.connect("cache/index.db"); db.execute("create table words (word text, file text, marked int)"); db.commit()'
