package patches

import "testing"

// TestOnlyDeclares: what only adds functions leaves the others as they were; what is put within one does not.
func TestOnlyDeclares(t *testing.T) {
	const head = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,3 +1,6 @@\n"
	for _, c := range []struct {
		patch string
		want  bool
	}{
		{" func a() {\n \tb()\n+}\n+\n+// Sum adds.\n+func Sum() {\n+\tb()\n }\n", true},
		{"-// or less\n+// or less, or so\n func a() {\n", true},
		{" func a() {\n-\tb()\n+\tc()\n }\n", false},
		{" func a() {\n+\tc()\n \tb()\n }\n", false},
		{" func a() {}\n+func c() {}\n \n func b() {\n+\tc()\n }\n", false},
		{" class A:\n+    def two(self):\n+        return 2\n \n", true},
		{" def a():\n+    x = 1\n     return 2\n", false},
		{" exports.a = a\n+exports.b = (s) => s\n", true},
	} {
		if got := OnlyDeclares(head + c.patch); got != c.want {
			t.Errorf("%q: %v", c.patch, got)
		}
	}
}
