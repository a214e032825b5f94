# A Python that is not the one that .python-version, .tool-versions, mise.toml or pyproject.toml asks for.
# params: Required, MajorVersion
want=$(first_word .python-version); want=${want:-$(pin python)}
[ -z "$want" ] && [ -f pyproject.toml ] && want=$(sed -n 's/^requires-python *= *"\([^",]*\).*/\1/p' pyproject.toml | head -n 1)
[ -n "$want" ] && version python3 "$want" "$(has python3 && python3 -c 'import platform; print(platform.python_version())')"
