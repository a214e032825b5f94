package recipe

// SectionPath gives the absolute path of the file that a section (lower case) was read
// from; "": it is of no file of this machine, but of a git source, a bundle, a built-in
// recipe or code.
func (r *Recipe) SectionPath(section string) string {
	if path, ok := r.beside[section]; ok {
		return path
	}
	if _, ok := r.sections[section]; !ok && r.SectionsPresent[section] {
		return r.beside[""]
	}
	return ""
}
