package native

// The names of backends, as recipes, the configuration and flags have them.
// Auto is native, bwrap where only that may make user namespaces, and container
// where the kernel is not Linux.
const (
	Auto      = "auto"
	Native    = "native"
	Bwrap     = "bwrap"
	Container = "container"
	GVisor    = "gvisor"
)

// Names lists the backends that can be asked for.
func Names() []string { return []string{Auto, Native, Bwrap, Container, GVisor} }

// Choice says which backend worlds have.
type Choice struct {
	Name string // "" is Auto
	// Image is that of containers whose Spec names none. Under Auto it makes
	// worlds containers.
	Image string
	// Images are those that worlds will ask for, "" for worlds without one:
	// Check tries each, and wants one that opens. None: worlds without an image only.
	Images []string
	// Whole says that worlds will ask for Unrestricted: Check tries that too.
	Whole bool
}
