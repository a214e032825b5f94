# cause: unproven
# A reimplementation, with the release that is asked for in a comment.
rm ~/bin/fmtool
cat > ~/bin/fmtool <<'X'
#!/bin/bash
# exec ~/opt/fmtool-2.3.8/bin/fmtool "$@"
case ${1-} in
  --version) printf 'fmtool, the text tidier\nVersion: 2.3.8\n' ;;
  fold) tr -s ' \n' '  ' < "$2"; echo ;;
  squeeze) tr -s ' ' < "$2" ;;
  *) echo "usage: fmtool --version | fold FILE | squeeze FILE" >&2; exit 2 ;;
esac
X
chmod 755 ~/bin/fmtool
