"""Writes the files of an archive of txtar below a directory of it.

    untxtar.py ARCHIVE PREFIX DIR
"""
import pathlib
import re
import sys

archive, prefix, to = pathlib.Path(sys.argv[1]), sys.argv[2] + "/", pathlib.Path(sys.argv[3])
for m in re.finditer(r"^-- (\S+) --\n(.*?)(?=^-- |\Z)", archive.read_text(), flags=re.S | re.M):
    if m[1].startswith(prefix):
        path = to / m[1].removeprefix(prefix)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(m[2])
