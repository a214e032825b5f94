package resolve

import (
	"fmt"
	"slices"
	"strings"

	"cookoff/internal/hint"
	"cookoff/recipe/problem"
	"cookoff/tools"
	"cookoff/tools/mcp"
)

// servers reads the MCP servers. One that is asked from the host reaches
// whatever the host does: that needs the user's word.
func (c *checker) servers() {
	for i, entry := range c.recipe.MCPServers {
		if s, ok := c.oneServer(fmt.Sprintf("mcp_servers[%d]", i), entry.Name, entry.Command); ok {
			c.out.Servers = append(c.out.Servers, s)
		}
	}
}

// oneServer reads an MCP server, and reports whether it could be read.
func (c *checker) oneServer(key, name, command string) (mcp.Server, bool) {
	s, err := mcp.ParseServer(name, command)
	if err != nil {
		msg, next := hint.Of(err)
		c.at(key, next, "%s", msg)
		return s, false
	}
	if s.URL != "" && !c.given.Offline && !c.may(problem.AllowNetwork) {
		c.needs(key, fmt.Sprintf("the MCP server %q, which is asked from this machine,", s.Name), problem.AllowHostMCP)
	}
	if slices.Contains(tools.Names(), s.Name) {
		c.at(key, "", "the MCP server %q has the name of a tool", s.Name)
	}
	return s, true
}

// served reports whether name is a tool of an MCP server, as server.tool or
// server.*, and complains when there is no such server. Which tools there are
// is known once the server runs.
func (c *checker) served(key, name string) bool {
	server, _, ok := strings.Cut(name, ".")
	if !ok {
		return false
	}
	var names []string
	for _, s := range c.recipe.MCPServers {
		names = append(names, s.Name)
	}
	switch {
	case len(names) == 0:
		c.at(key, "add it to ## MCP Servers", "no MCP server is called %q", server)
	case !slices.Contains(names, server):
		c.unknown(key, "MCP server", server, names)
	}
	return true
}
