package prepare

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestMavenRepository: of Maven's repository what poms name is taken, by way of parents, properties,
// managed versions and plugins, with Maven's own plugins; nothing else of it, and no notes of its origin.
func TestMavenRepository(t *testing.T) {
	repository, project := t.TempDir(), t.TempDir()
	put := func(group, name, version, pom string) {
		at := filepath.Join(repository, groupDir(group), name, version)
		write(t, filepath.Join(at, name+"-"+version+".pom"), pom)
		write(t, filepath.Join(at, name+"-"+version+".jar"), "jar")
		write(t, filepath.Join(at, "_remote.repositories"), "central")
		write(t, filepath.Join(at, name+"-"+version+".pom.lastUpdated"), "")
	}
	dep := func(group, name string) string {
		return "<dependency><groupId>" + group + "</groupId><artifactId>" + name + "</artifactId></dependency>"
	}
	put("org.junit", "junit", "5", "<project><parent><groupId>org.p</groupId><artifactId>parent</artifactId></parent>"+
		dep("${project.groupId}", "sibling")+dep("${its}", "by-property")+"</project>")
	put("org.p", "parent", "1", "<project><dependencyManagement>"+dep("org.b", "bom")+"</dependencyManagement></project>")
	put("org.p", "sibling", "1", "<project/>")
	put("org.b", "bom", "1", "<project><broken>")
	put("org.q", "by-property", "1", "<project/>")
	put("org.apache.maven.plugins", "maven-jar-plugin", "3", "<project/>")
	put("org.codehaus", "tool", "1", "<project/>")
	put("com.company", "secret", "1", "<project/>")
	write(t, filepath.Join(project, "pom.xml"), `<?xml version="1.0"?><project xmlns="http://maven.apache.org/POM/4.0.0">
  <groupId>demo</groupId><artifactId>demo</artifactId><properties><of.junit>org.junit</of.junit></properties>
  <dependencies>`+dep("${of.junit}", "junit")+dep("../com", "secret")+dep("com/company", "secret")+`</dependencies>
  <build><plugins><plugin><groupId>org.codehaus</groupId><artifactId>tool</artifactId></plugin></plugins></build>
</project>`)
	dir := filepath.Join(t.TempDir(), "seed")
	s, whole, err := Caches{Maven: repository}.Gather(project, dir)
	if err != nil || !whole || s.lacks("mvn -q test") {
		t.Fatalf("whole %v: %v", whole, err)
	}
	// What has no group of its own has its parent's, by whichever word it asks for it.
	want := []string{"maven-jar-plugin-3", "bom-1", "tool-1", "junit-5", "parent-1", "sibling-1"}
	var got []string
	for _, f := range listed(t, filepath.Join(dir, "m2")) {
		if name, isPom := strings.CutSuffix(filepath.Base(f), ".pom"); isPom {
			got = append(got, name)
		} else if !strings.HasSuffix(f, ".jar") {
			t.Errorf("%s was taken", f)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if s, _, _ := (Caches{Maven: t.TempDir()}).Gather(project, dir); s.maven || !s.lacks("mvn -q test") {
		t.Error("an empty repository is taken for one that has what is needed")
	}
}
