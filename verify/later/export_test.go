package later

// AgeFiles makes files old: see ageFiles.
const AgeFiles = ageFiles
