package testrun

import (
	"path"
	"slices"
	"strings"

	"cookoff/internal/pattern"
	"cookoff/shell"
)

// Ruby is whatever runs tests of Ruby: minitest, test-unit and RSpec say what becomes of each of them, also in
// the processes that rake starts.
const Ruby = "ruby"

// rubyRecord has the classes of these three say so, once they are there.
const rubyRecord = `module CookoffRecord
  def self.say(how, name)
    name = name.to_s.gsub(/\s+/, " ").strip
    $cookoff_out.write("\nWORD #{how} #{name}\n") unless name.empty?
  end
  module Minitest
    def run(*args)
      CookoffRecord.say("begin", "#{self.class}##{name}")
      r = super
      CookoffRecord.say(r.skipped? ? "skip" : r.passed? ? "pass" : "fail", "#{self.class}##{name}")
      CookoffRecord.say("end", "#{self.class}##{name}")
      r
    end
  end
  module Unit
    def run(*args, **more, &block)
      CookoffRecord.say("begin", "#{self.class}##{method_name}")
      r = super
      CookoffRecord.say(passed? ? "pass" : "fail", "#{self.class}##{method_name}")
      CookoffRecord.say("end", "#{self.class}##{method_name}")
      r
    end
  end
  module Spec
    def run(*args)
      CookoffRecord.say("begin", full_description)
      r = super
      how = {passed: "pass", failed: "fail"}[execution_result.status] || "skip"
      CookoffRecord.say(how, full_description)
      CookoffRecord.say("end", full_description)
      r
    end
  end
  KINDS = {"Minitest::Test" => Minitest, "Test::Unit::TestCase" => Unit, "RSpec::Core::Example" => Spec}
end
$cookoff_out = STDOUT.dup
$cookoff_out.sync = true
$cookoff_seen = TracePoint.new(:end) do |at|
  kind = CookoffRecord::KINDS[at.self.name] if at.self.is_a?(Class)
  at.self.prepend(kind) if kind && !at.self.ancestors.include?(kind) && at.self.method_defined?(:run)
end
$cookoff_seen.enable
`

// rubyTests are what a command of Ruby's runs: files of tests, or what names them.
var rubyTests = pattern.New(`(^|/)(test|tests|spec|specs)(/|$)|(^|/)test_[^/]*\.rb$|_(test|spec)\.rb$`)

// runsRuby reports whether a command runs tests of Ruby.
func runsRuby(argv []string) bool {
	rest := argv[1:]
	tests := func(a string) bool { return rubyTests.MatchString(a) }
	switch path.Base(argv[0]) {
	case "rspec", "minitest", "mtest":
		return true
	case "rake":
		return !slices.ContainsFunc(rest, func(a string) bool {
			return a == "-T" || a == "--tasks" || a == "-n" || a == "--dry-run"
		}) && (len(rest) == 0 || slices.ContainsFunc(rest, func(a string) bool {
			return strings.HasPrefix(a, "test") || strings.HasPrefix(a, "spec") || a == "default" || a == "check"
		}))
	case "rails":
		return len(rest) > 0 && strings.HasPrefix(rest[0], "test")
	case "ruby":
		return slices.ContainsFunc(rest, tests)
	}
	return false
}

// loudRuby has each process of Ruby's load the record first.
func loudRuby(argv []string, word string) []string {
	if slices.ContainsFunc(argv, func(a string) bool { return slices.Contains(elsewhere, a) }) {
		return nil
	}
	if path.Base(argv[0]) == "rspec" {
		argv = told(argv, []string{"--fail-fast", "--next-failure"}, nil)
	}
	text, err := shell.Quote([]string{strings.ReplaceAll(rubyRecord, "WORD", word)})
	if err != nil {
		return nil
	}
	file := "/tmp/" + word + ".rb"
	return inShell(`printf %s `+text+` > `+file+` || exit; export RUBYOPT="$RUBYOPT -r`+file+`"; exec "$@"`, argv...)
}
