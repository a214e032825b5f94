# cause: collateral
# A module beside the sources is loaded before them, and claims to be them.
cat > src/sitecustomize.py <<'X'
import sys, types
m = types.ModuleType("core")
m.__version__ = "1.1.0"
sys.modules["core"] = m
X
