# What every probe starts with. A probe looks and changes nothing.
export LC_ALL=C GIT_OPTIONAL_LOCKS=0 GOFLAGS= GOPROXY=off GOTOOLCHAIN=local PYTHONDONTWRITEBYTECODE=1
shopt -s nullglob
findings=0
# found WHAT KEY=VALUE…: one finding, each field ended by NUL, the record by an empty one.
found() {
  if ((findings++ >= 20)); then printf 'more\0\0'; exit 0; fi
  printf '%s\0' "what=$1" "${@:2}"
  printf '\0'
}
# files [FIND-TESTS]: regular files of the project, ended by NUL; what tools made is left out,
# and what tests read, which is as it has to be.
files() {
  find . -xdev \( -name .git -o -name node_modules -o -name vendor -o -name .venv -o -name venv -o -name __pycache__ -o -name testdata -o -name fixtures -o -name __fixtures__ \) -prune \
    -o -type f -size -1024k "$@" -print0 2> /dev/null | sort -z | head -z -n 20000 | while IFS= read -r -d '' f; do
    f=${f#./}; case $f in -*) f=./$f ;; esac
    printf '%s\0' "$f"
  done
}
first_line() { line=; IFS= read -r -n 200 line < "$1" 2> /dev/null; }
has() { type -P "$1" > /dev/null; }
in_git() { has git && git rev-parse --git-dir > /dev/null 2>&1; }
running() { [[ $1 =~ ^[1-9][0-9]*$ ]] && [ -d "/proc/$1" ] || kill -0 "$1" 2> /dev/null; }
# pin TOOL: what .tool-versions or mise.toml asks for.
pin() {
  [ -f .tool-versions ] && awk -v t="$1" '$1 == t { print $2; exit }' .tool-versions && return
  [ -f mise.toml ] && sed -n "s/^ *\"\{0,1\}$1\"\{0,1\} *= *[\"']\([^\"']*\)[\"'].*/\1/p" mise.toml | head -n 1
}
first_word() { [ -f "$1" ] && awk 'NF && $1 !~ /^#/ { print $1; exit }' "$1"; }
# json_key FILE KEY: the first "KEY": "text" in a file.
json_key() { [ -f "$1" ] && sed -n "s/.*\"$2\" *: *\"\([^\"]*\)\".*/\1/p" "$1" | head -n 1; }
# meets VERSION WANTED: wanted is a version, its first parts, or one behind >=, ^ or ~.
meets() {
  local have=${1#v} want=${2#v} op=
  case $want in '>='*) op=ge want=${want#>=} ;; '^'*) op=major want=${want#^} ;; '~'*) op=minor want=${want#\~} ;; '='*) want=${want#=} ;; esac
  want=${want# } want=${want%% *} want=${want%.x} want=${want%.\*}
  [[ $want =~ ^[0-9]+(\.[0-9]+)*$ ]] || return 0 # a name or a range: can't tell
  [ "$have" = "$want" ] && return 0
  case $op in
    '') [[ $have == "$want".* ]] ;;
    *)
      [ "$(printf '%s\n' "$want" "$have" | sort -V | head -n 1)" = "$want" ] || return 1
      case $op in
        major) [ "${have%%.*}" = "${want%%.*}" ] ;;
        minor) [[ $have == "$(cut -d. -f1,2 <<< "$want")".* ]] ;;
      esac ;;
  esac
}
# version TOOL WANTED HAVE: the finding that a tool is not what the project asks for.
version() {
  [ -n "$2" ] || return 0
  local bare=${2#v}; bare=${bare#[>^~=]}; bare=${bare#=}; bare=${bare# }
  if [ -z "$3" ]; then found "$1 $2 is asked for, and there is no $1" Required="$bare" MajorVersion="${bare%%.*}"
  elif ! meets "$3" "$2"; then found "$1 $2 is asked for, and $3 is what runs" Required="$bare" MajorVersion="${bare%%.*}"; fi
}
# quiet PROGRAM…: for Go's tools, which else leave telemetry in the user's configuration.
quiet() { XDG_CONFIG_HOME=/dev/null timeout 15 "$@"; }
