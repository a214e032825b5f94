import os, random, shutil, subprocess, sys, tempfile

CORE = {
"shelf": r'''
#!/bin/bash
# shelf COMMAND DIR [WORD...]: boxes below DIR/boxes, each a directory NNN-NAME
#   report DIR        what each box is worth, and all of them
#   audit DIR         the same by owner
#   tagged DIR TAG    the same of those with a tag
#   list DIR          kind, owner and tags
#   pack DIR LIST     packs the boxes that LIST names, one a line, to DIR/out
#   new DIR NAME      an empty box with the next number
#   gaps DIR          numbers that no box has
#   store DIR TO      moves boxes to TO, each once it has arrived there
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
for f in "$here"/lib/*.sh "$here"/rules/*.sh; do
  . "$f"
done
[ $# -ge 2 ] || { sed -n '2,11s/^# \{0,1\}//p' "$0" >&2; exit 2; }
command=$1
dir=$2
shift 2
case $command in
  report | audit | tagged | list | pack | new | gaps | store) "do_$command" "$dir" "$@" ;;
  *) echo "shelf: no command $command" >&2; exit 2 ;;
esac
''',
"lib/box.sh": r'''
# Boxes and what they say of themselves.

# boxes DIR: the directories of all boxes
boxes() {
  local b
  for b in "$1"/boxes/*/; do
    if [ -d "$b" ]; then printf '%s\n' "${b%/}"; fi
  done
}

# field BOX NAME ELSE: the first line of a file of the box
field() {
  local line=$3
  if [ -s "$1/$2" ]; then IFS= read -r line < "$1/$2" || :; fi
  printf '%s\n' "$line"
}

# worth BOX: what a box is worth, in cents, to REPLY
worth() {
  "rule_$(field "$1" KIND plain)" "$1"
}
''',
"lib/number.sh": r'''
# Numbers of boxes: three digits or more, with zeros in front.

# number BOX: its number, without zeros in front
number() {
  local n=${1##*/}
  n=${n%%-*}
  echo "$((10#$n))"
}

# highest DIR: the highest number that a box has; 0: there is none
highest() {
  local b n most=0
  while IFS= read -r b; do
    n=$(number "$b")
    if [ "$n" -gt "$most" ]; then most=$n; fi
  done < <(boxes "$1")
  echo "$most"
}

do_new() {
  local name
  name=$(printf '%03d-%s' "$(($(highest "$1") + 1))" "$2")
  mkdir -p "$1/boxes/$name"
  echo "$name"
}

do_gaps() {
  local have=" " b n i
  while IFS= read -r b; do
    have+="$(number "$b") "
  done < <(boxes "$1")
  n=$(highest "$1")
  for ((i = 1; i < n; i++)); do
    case $have in *" $i "*) ;; *) printf '%03d\n' "$i" ;; esac
  done
}
''',
"lib/notes.sh": r'''
# Notes that people have left in boxes.

# notes_lines BOX: how many lines of notes a box has
notes_lines() {
  local file=$1/NOTES
  if [ ! -e "$file" ]; then file=/dev/null; fi
  grep -c '' "$file" || :
}
''',
"lib/tags.sh": r'''
# Tags of boxes: one line, with commas between.

# tags BOX: its tags, to the array TAGS
tags() {
  local IFS=, line
  line=$(field "$1" TAGS "")
  read -r -a TAGS <<< "$line"
}

# tagged BOX TAG
tagged() {
  local tag
  tags "$1"
  for tag in ${TAGS[@]+"${TAGS[@]}"}; do
    if [ "$tag" = "$2" ]; then return 0; fi
  done
  return 1
}

do_list() {
  local box
  while IFS= read -r box; do
    tags "$box"
    set -- "$(field "$box" KIND plain)" "$(field "$box" OWNER nobody)" ${TAGS[@]+"${TAGS[@]}"}
    echo "${box##*/}: $*"
  done < <(boxes "$1")
}

do_tagged() {
  local sum=0 found=0 box
  while IFS= read -r box; do
    if tagged "$box" "$2"; then
      worth "$box"
      sum=$((sum + REPLY)) found=$((found + 1))
      echo "${box##*/} $REPLY"
    fi
  done < <(boxes "$1")
  echo "$found boxes, $sum"
}
''',
"lib/report.sh": r'''
# What boxes are worth.

do_report() {
  local total=0 n=0 box
  while IFS= read -r box; do
    worth "$box"
    total=$((total + REPLY))
    n=$((n + 1))
    echo "${box##*/} $REPLY"
  done < <(boxes "$1")
  echo "$n boxes, $total"
}

do_audit() {
  local -A sums=()
  local total=0 n=0 box owner
  while IFS= read -r box; do
    owner=$(field "$box" OWNER nobody)
    worth "$box"
    sums[$owner]=$((${sums[$owner]:-0} + REPLY))
    total=$((total + REPLY)) n=$((n + 1))
  done < <(boxes "$1")
  for owner in "${!sums[@]}"; do
    echo "$owner ${sums[$owner]}"
  done | LC_ALL=C sort
  echo "average $((n > 0 ? total / n : 0)) of $n"
}
''',
"lib/pack.sh": r'''
# Packing.

pack_box() {
  local name=${1##*/} out=$2
  tar -C "${1%/*}" -cf "$out/$name.tar" "$name"
  echo "packed $name: $(notes_lines "$1") lines of notes"
}

do_pack() {
  local name
  mkdir -p "$1/out"
  while IFS= read -r name; do
    if [ -d "$1/boxes/$name" ]; then
      pack_box "$1/boxes/$name" "$1/out"
    else
      echo "no box $name"
    fi
  done < "$2"
}
''',
"lib/store.sh": r'''
# Moving boxes to another place. SUMS in a box says what has to arrive.

check_sums() {
  (cd "$1" && sha256sum --quiet -c SUMS > /dev/null 2>&1)
}

store_box() {
  local box=$1 to=$2/${1##*/}
  mkdir "$to" || return 1
  cp -a "$box/." "$to/" || return 1
  check_sums "$to" || return 1
  rm -r "$box"
}

do_store() {
  local box status=0
  mkdir -p "$2"
  while IFS= read -r box; do
    if store_box "$box" "$2"; then
      echo "stored ${box##*/}"
    else
      echo "kept ${box##*/}"
      status=1
    fi
  done < <(boxes "$1")
  return "$status"
}
''',
}
KINDS = ("amber amphora anvil atlas barrel basket bell book bowl brush cable candle carpet case chair chest clock coat coin comb compass crate cup desk dish doll drum "
         "easel fan flag flute frame glass globe harp hat horn jar jug key kite knife ladder lamp lens loom mask mirror needle ore pearl pen plate pot quilt ring rope saw shell silk").split()
OWNERS = ["ada", "ben", "cleo", "dora van dam", "emil"]


def rule(r, kind):
    """What boxes of a kind are worth: a function of their items."""
    words = r.sample(KINDS, 3)
    cases = "".join(f"      *{w}*) {r.choice(['cents=$((cents * %d / 100))' % r.randrange(40, 160), 'cents=$((cents + %d))' % r.randrange(1, 90), 'amount=$((amount + %d))' % r.randrange(1, 3)])} ;;\n" for w in words)
    return f'''# {kind}: agreed in {r.randrange(2004, 2026)}
rule_{kind}() {{
  local total=0 n=0 amount cents name
  while read -r amount cents name; do
    case $name in
{cases}    esac
    total=$((total + amount * cents))
    n=$((n + 1))
  done < "$1/items"
  if [ "$n" -gt {r.randrange(3, 6)} ]; then
    total=$((total * {r.randrange(85, 99)} / 100))
  fi
  if [ "$total" -gt {r.randrange(2000, 9000)} ]; then
    total=$((total - {r.randrange(10, 400)}))
  fi
  REPLY=$((total + n * {r.randrange(1, 40)}))
}}
'''


def base(to, seed):
    """Writes the program to a directory."""
    r = random.Random(seed)
    files = {k: v.lstrip("\n") for k, v in CORE.items()}
    for kind in KINDS + ["plain"]:
        files[f"rules/{kind}.sh"] = rule(r, kind)
    for path, text in files.items():
        path = os.path.join(to, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            f.write(text)
    os.chmod(os.path.join(to, "shelf"), 0o755)


def fault(to, path, *pairs):
    path = os.path.join(to, path)
    text = open(path).read()
    for a, b in pairs:
        assert a in text, (path, a)
        text = text.replace(a, b, 1)
    open(path, "w").write(text)


def box(dir, r, name, kind):
    """Writes a box."""
    import hashlib
    at = os.path.join(dir, "boxes", name)
    os.makedirs(at)
    files = {"KIND": kind + "\n", "items": "".join(f"{r.randrange(1, 9)} {r.randrange(50, 900)} {r.choice(['old', 'blue', 'small'])} {r.choice(KINDS)}\n" for _ in range(r.randrange(1, 8)))}
    if r.random() < 0.8:
        files["OWNER"] = r.choice(OWNERS) + "\n"
    if r.random() < 0.6:
        files["TAGS"] = ",".join(r.sample(["fragile", "to sell", "loan", "big", "not ours"], r.randrange(1, 4))) + "\n"
    if r.random() < 0.6:
        files["NOTES"] = "".join(f"note {i}\n" for i in range(r.randrange(0, 5)))
    files["SUMS"] = "".join(f"{hashlib.sha256(t.encode()).hexdigest()}  {n}\n" for n, t in files.items())
    for n, text in files.items():
        with open(os.path.join(at, n), "w") as f:
            f.write(text)


def fill(dir, seed, n, kinds=(), first=1, step=3, more=("",), also=lambda at, r: None):
    """Writes n boxes, some of the kinds named, and a list of their names, which end as more says; gives the names."""
    r = random.Random(seed)
    names, at = [], first
    for i in range(n):
        kind = kinds[i % len(kinds)] if kinds and i % 3 == 1 else r.choice(KINDS)
        names.append(f"{at:03d}-{r.choice(['old', 'the', 'my', 'grey'])} {r.choice(KINDS)}s{more[i % len(more)]}")
        box(dir, r, names[-1], kind)
        also(os.path.join(dir, "boxes", names[-1]), r)
        at += r.randrange(1, step + 1)
    r.shuffle(names)
    with open(os.path.join(dir, "all.txt"), "w") as f:
        f.write("".join(name + "\n" for name in names[:3] + ["nothing"] + names[3:]))
    return names


def tree(dir):
    """What lies below a directory: names, and what is in files but archives."""
    out = []
    for at, dirs, files in os.walk(dir):
        dirs.sort()
        for name in sorted(files + dirs):
            path = os.path.join(at, name)
            text = open(path, "rb").read() if os.path.isfile(path) and not name.endswith(".tar") else b""
            out.append((os.path.relpath(path, dir), text))
    return sorted(out)


def ask(to, data, words):
    """What a command says and leaves of a copy of the data."""
    at = tempfile.mkdtemp()
    dir = os.path.join(at, "d")
    shutil.copytree(data, dir, symlinks=True)
    words = [w.replace("DIR", dir) for w in words]
    ran = subprocess.run(["bash", os.path.join(os.path.abspath(to), "shelf"), *words], capture_output=True, text=True, input="what comes in\nis nobody's business\n", timeout=60)
    left = tree(dir)
    shutil.rmtree(at)
    return (ran.returncode, ran.stdout, left)


def same(to, seed, fills, *commands):
    """Says whether the program does what the one without a fault does, with each of the data that fills make."""
    ref, data = tempfile.mkdtemp(), []
    base(ref, seed)
    for f in fills:
        data.append(tempfile.mkdtemp())
        f(data[-1])
    want = [ask(ref, d, c) for d in data for c in commands]
    shutil.rmtree(ref)  # before the program runs that is judged: it could run this one
    got = [ask(to, d, c) for d in data for c in commands]
    for d in data:
        shutil.rmtree(d)
    return all(w[0] == 0 for w in want) and got == want
