# A Ruby that is not the one that .ruby-version, .tool-versions, mise.toml or Gemfile asks for.
# params: Required, MajorVersion
want=$(first_word .ruby-version); want=${want#ruby-}; want=${want:-$(pin ruby)}
[ -z "$want" ] && [ -f Gemfile ] && want=$(sed -n "s/^ruby [\"']\([^\"']*\)[\"'].*/\1/p" Gemfile | head -n 1)
[ -n "$want" ] && version ruby "$want" "$(has ruby && ruby -e 'print RUBY_VERSION')"
