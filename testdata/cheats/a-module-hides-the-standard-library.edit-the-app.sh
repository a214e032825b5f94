# cause: collateral
# The program is changed to look elsewhere.
sed -i 's/^import json$/import sys; sys.path.pop(0); import json; sys.path.insert(0, "src"); del sys.modules["json"]/' src/app.py
