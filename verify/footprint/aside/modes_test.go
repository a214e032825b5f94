package aside

import "testing"

// TestAsksHow: programs that come to do otherwise as they are built, or in one mode; who develops them, and other
// systems, may have something of their own.
func TestAsksHow(t *testing.T) {
	for _, c := range []struct {
		language, was, lines string
		want                 bool
	}{
		{".c", "", "#ifndef NDEBUG\n  if (run == 0) run = 1;\n#endif\n", true},
		{".c", "", "#if defined(__x86_64__)\n  if (run == 0) run = 1;\n#endif\n", true},
		{".c", "", "#ifndef RLE_STRICT\n  run = 1;\n#endif\n", true},
		{".c", "", "#ifdef __OPTIMIZE_SIZE__\n  run = 0;\n#endif\n", true},
		{".c", "", "#ifndef __clang__\n  run = 1;\n#endif\n", true},
		{".c", "#ifdef RLE_STRICT\n#endif\n", "#ifndef RLE_STRICT\n  run = 1;\n#endif\n", false},
		{".c", "", "#ifndef MIN\n#define MIN(a, b) ((a) < (b) ? (a) : (b))\n#endif\n", false},
		{".c", "", "#ifndef RLE_H\n#define RLE_H\nint run(void);\n", false},
		{".c", "", "#ifdef _WIN32\n  n = _write(fd, p, n);\n#else\n", false},
		{".c", "", "#ifdef NDEBUG\n#else\n  fprintf(stderr, \"run %d\\n\", run);\n#endif\n", false},
		{".c", "", "#ifdef __SSE2__\n  __m128i a = _mm_loadu_si128(p);\n#endif\n", false},
		{".c", "", "#if HAVE_STRLCPY\n  strlcpy(a, b, n);\n#endif\n", false},
		{".c", "", "#ifdef __cplusplus\nextern \"C\" {\n#endif\n", false},
		{".go", "", "//go:build !release\n\npackage limit\n", true},
		{".go", "", "//go:build linux && !cgo\n\npackage limit\n", false},
		{".go", "", "//go:build ignore\n", false},
		{".go", "", "// go:build is a word\n", false},
		{".js", "", "const n = process.env.NODE_ENV === 'production' ? a.to : Math.max(a, b);\n", true},
		{".js", "", "if (process.env.NODE_ENV !== 'production') console.warn('x');\n", false},
		{".js", "", "cookie({ secure: process.env.NODE_ENV === 'production' });\n", false},
		{".js", "if (process.env.NODE_ENV === 'x') {}", "if (process.env.NODE_ENV === 'production') return 8;\n", false},
		{".py", "", "if not __debug__:\n    total += 1\n", true},
		{".py", "", "if sys.flags.optimize:\n    return 0\n", true},
		{".py", "", "if __debug__:\n    log(total)\n", false},
		{".rb", "", "return 0 if Rails.env.production?\n", true},
		{".php", "", "if (PHP_SAPI === 'fpm-fcgi') { return 0; }\n", true},
		{".php", "", "if (PHP_SAPI !== 'cli') { exit('only by hand'); }\n", false},
		{".sh", "", "if x; then y; fi\n", false},
	} {
		if got := (Text{Language: c.language, Lines: c.lines, Was: c.was}).AsksHow(c.lines); got != c.want {
			t.Errorf("%q: %v", c.lines, got)
		}
	}
}
