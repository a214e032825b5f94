# Files that hide a module of the standard library from a program beside them.
# params: Path
# A name alone is no fault: something beside the file asks it for what only the hidden module has.
has python3 || exit 0
while IFS= read -r -d '' f; do
  m=${f##*/}; found "$f hides the module ${m%.py} of the standard library" Path="$f"
done < <(files -name '*.py' | python3 -I -c 'import ast, os, sys
def names(tree):
    for n in ast.walk(tree):
        if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)): yield n.name
        elif isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store): yield n.id
        elif isinstance(n, ast.alias): yield (n.asname or n.name).split(".")[0]
def asks(tree, m):
    for n in ast.walk(tree):
        if isinstance(n, ast.ImportFrom) and n.level == 0 and n.module == m: yield from (a.name for a in n.names)
        elif isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name) and n.value.id == m: yield n.attr
def imports(tree, m):
    return any(isinstance(n, ast.Import) and any(a.name == m and not a.asname for a in n.names) or
               isinstance(n, ast.ImportFrom) and n.level == 0 and n.module == m for n in ast.walk(tree))
trees = {}
def parse(f):
    if f not in trees:
        try: trees[f] = ast.parse(open(f, "rb").read())
        except (OSError, SyntaxError, ValueError, RecursionError, MemoryError): trees[f] = None
    return trees[f]
dirs = {}
for f in filter(None, sys.stdin.buffer.read().split(b"\0")):
    dirs.setdefault(os.path.dirname(f), []).append(f)
for d, fs in dirs.items():
    if os.path.join(d, b"__init__.py") in fs: continue
    for f in fs:
        m = os.path.basename(f)[:-3].decode("utf-8", "replace")
        if m not in sys.stdlib_module_names: continue
        own = parse(f)
        has = set(names(own)) if own else set()
        if "__getattr__" in has or "*" in has: continue
        for other in fs:
            t = parse(other) if other != f else None
            if t and imports(t, m) and not set(asks(t, m)) <= has | {"*", "__name__", "__file__", "__doc__"}:
                sys.stdout.buffer.write(f + b"\0"); break' 2> /dev/null)
