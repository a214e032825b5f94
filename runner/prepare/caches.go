package prepare

import (
	"os"
	"path/filepath"
	"slices"

	"cookoff/internal/pattern"
	"cookoff/sandbox"
)

// Caches are those of this machine's package managers. "" is none.
type Caches struct {
	Go string // of modules (GOMODCACHE)
	// GoProxies are directories that GOPROXY names.
	GoProxies []string
	Npm       string // the directory that holds _cacache
	// Pnpm is the directory that holds the versions of pnpm's store.
	Pnpm string
	// Yarn is the directory that holds the versions of the cache of yarn 1.
	Yarn string
	// Cargo is CARGO_HOME, whose registry holds crates.
	Cargo string
	// Pip is where pip keeps what it got, and what it made of it.
	Pip string
	// Uv is where uv keeps wheels, unpacked.
	Uv string
	// Maven is its local repository.
	Maven string
	// Wheels are directories of Python packages (PIP_FIND_LINKS).
	Wheels []string
}

// seedDir is where inside what the caches have is shown.
const seedDir = "/var/cache/cookoff"

// seed is what the caches have of what a project's lockfiles name, and nothing else of
// them.
type seed struct {
	dir     string // on the host; "": nothing
	modules bool
	npm     bool
	pnpm    bool
	yarn    bool
	cargo   bool
	wheels  bool
	uv      bool
	maven   bool
}

// Gather copies into dir what the caches have of what the lockfiles of a project name,
// each checked by the digest that the lockfile has. whole reports whether nothing is
// known to be missing.
func (c Caches) Gather(project, dir string) (s seed, whole bool, err error) {
	locks, err := Lockfiles(project)
	if err != nil {
		return s, false, err
	}
	whole = true
	for _, l := range locks {
		var all bool
		switch filepath.Base(l) {
		case "go.sum":
			all, err = c.goModules(filepath.Join(project, l), filepath.Join(dir, "go"))
			s.modules = true
		case "package-lock.json", "npm-shrinkwrap.json":
			all, err = c.npmPackages(filepath.Join(project, l), filepath.Join(dir, "npm"))
			s.npm = true
		case "pnpm-lock.yaml":
			all, err = c.pnpmPackages(filepath.Join(project, l), filepath.Join(dir, "pnpm"))
			s.pnpm = true
		case "yarn.lock":
			all, err = c.yarnPackages(filepath.Join(project, l), filepath.Join(dir, "yarn"))
			s.yarn = true
		case "Cargo.lock":
			all, err = c.cargoCrates(filepath.Join(project, l), filepath.Join(dir, "cargo"))
			s.cargo = true
		case "uv.lock":
			all, err = c.uvPackages(filepath.Join(project, l), filepath.Join(dir, "uv"))
			s.uv = s.uv || all
		case "poetry.lock", "pdm.lock", "Pipfile.lock", "Gemfile.lock":
			// Their caches can't be shown by what the lockfile names alone: there is nothing to try without a network.
		default:
			all = true
		}
		if err != nil {
			return s, false, err
		}
		whole = whole && all
	}
	if err := c.named(project, locks, dir, &s); err != nil {
		return s, false, err
	}
	if _, err := os.Stat(dir); err == nil {
		s.dir = dir
	}
	return s, whole, nil
}

// named copies what has no digests in a lockfile: it is known by name and version.
func (c Caches) named(project string, locks []string, dir string, s *seed) (err error) {
	if slices.ContainsFunc(locks, isPython) || project == "" {
		if err = c.python(project, locks, dir, s); err != nil {
			return err
		}
	}
	s.maven, err = c.mavenArtifacts(project, locks, filepath.Join(dir, "m2"))
	return err
}

var (
	fetchers = pattern.New(`(^|[\s;&|(/])(pipx|poetry|pdm|pipenv|conda|bun|bundle|gem|composer|gradlew?)\s`)
	pipGets  = pattern.New(`(^|[\s;&|(/])pip3?\s`)
	uvGets   = pattern.New(`(^|[\s;&|(/])uv\s`)
	mvnGets  = pattern.New(`(^|[\s;&|(/])mvnw?\s`)
	pnpmGets = pattern.New(`(^|[\s;&|(/])pnpm\s`)
	yarnGets = pattern.New(`(^|[\s;&|(/])yarn($|[\s;&|)])`)
	npmGets  = pattern.New(`(^|[\s;&|(/])npm (i|install|ci)\b`)
	local    = pattern.New(
		`--no-index|--offline|--no-deps|--find-links|--prefer-offline| -o\b|\bPIP_NO_INDEX=|\b(vendor|wheels|wheelhouse)/`)
)

// lacks reports whether a command fetches what the caches can't have given: without a
// network it would only wait for what does not come.
func (s seed) lacks(command string) bool {
	return !local.MatchString(command) && (fetchers.MatchString(command) || npmGets.MatchString(command) && !s.npm ||
		pnpmGets.MatchString(command) && !s.pnpm || yarnGets.MatchString(command) && !s.yarn ||
		pipGets.MatchString(command) && !s.wheels && !s.uv || uvGets.MatchString(command) && !s.uv && !s.wheels ||
		mvnGets.MatchString(command) && !s.maven)
}

// common are variables that keep package managers from asking, or from leaving more
// than is wanted.
var common = []string{"CI=1", "GOFLAGS=-modcacherw", "GOTOOLCHAIN=local", "GOTELEMETRY=off", "npm_config_audit=false",
	"npm_config_fund=false", "npm_config_update_notifier=false",
	"npm_config_cache=/tmp/.npm", "PIP_NO_INPUT=1", "PIP_DISABLE_PIP_VERSION_CHECK=1", "PIP_CACHE_DIR=/tmp/.pip",
	"PIP_ROOT_USER_ACTION=ignore", "UV_CACHE_DIR=/tmp/.uv", "UV_LINK_MODE=copy", "POETRY_VIRTUALENVS_IN_PROJECT=true",
	"POETRY_CACHE_DIR=/tmp/.poetry", "PIPENV_VENV_IN_PROJECT=1", "PIPENV_CACHE_DIR=/tmp/.pipenv",
	"PDM_CHECK_UPDATE=false", "PDM_CACHE_DIR=/tmp/.pdm"}

// copyNpm has npm write where it may.
const copyNpm = "[ ! -d " + seedDir + "/npm ] || cp -r " + seedDir +
	"/npm /tmp/.npm && chmod -R u+w /tmp/.npm 2>/dev/null\n"

func (s seed) mounts() []sandbox.Mount {
	if s.dir == "" {
		return nil
	}
	return []sandbox.Mount{{Source: s.dir, Target: seedDir}}
}

// offline are the terms of a command without a network: package managers are told so,
// and give up at once.
func (s seed) offline() terms {
	proxy := "off"
	if s.modules && s.dir != "" {
		proxy = "file://" + seedDir + "/go"
	}
	return terms{network: sandbox.NoNetwork, mounts: s.mounts(), before: s.before(),
		env: slices.Concat([]string{"GOPROXY=" + proxy, "GOSUMDB=off", "npm_config_offline=true", "CARGO_NET_OFFLINE=true",
			"UV_OFFLINE=1", "PIP_RETRIES=0", "PIP_NO_INDEX=1"}, common, s.links(), s.stores())}
}

// stores are the variables that say where pnpm and yarn find what there is.
func (s seed) stores() (env []string) {
	if s.dir == "" {
		return nil
	}
	if s.pnpm {
		env = append(env, "npm_config_store_dir=/tmp/.pnpm-store")
	}
	if s.yarn {
		env = append(env, "YARN_YARN_OFFLINE_MIRROR="+seedDir+"/yarn", "YARN_CACHE_FOLDER=/tmp/.yarn")
	}
	return env
}

// online are those of one with a network.
func (s seed) online(registries []string) terms {
	registries = slices.Clone(registries)
	for i, r := range registries {
		registries[i] = s.withoutDirs(r)
	}
	return terms{network: sandbox.FullNetwork, mounts: s.mounts(), before: s.before(),
		env: slices.Concat([]string{"npm_config_prefer_offline=true"}, common, s.links(), registries)}
}

// copyPnpm has pnpm write to its store.
const copyPnpm = "[ ! -d " + seedDir + "/pnpm ] || cp -r " + seedDir +
	"/pnpm /tmp/.pnpm-store && chmod -R u+w /tmp/.pnpm-store 2>/dev/null\n"

// copyCargo has cargo find its registry where it keeps it.
const copyCargo = "[ ! -d " + seedDir + "/cargo ] || { mkdir -p ~/.cargo && cp -r " + seedDir +
	"/cargo/registry ~/.cargo/ && chmod -R u+w ~/.cargo/registry; }\n"

// copyUv has uv write to its cache.
const copyUv = "[ ! -d " + seedDir + "/uv ] || cp -r " + seedDir + "/uv /tmp/.uv && chmod -R u+w /tmp/.uv 2>/dev/null\n"

// copyMaven has Maven find its artifacts where it keeps them.
const copyMaven = "[ ! -d " + seedDir + "/m2 ] || { mkdir -p ~/.m2 && cp -r " + seedDir +
	"/m2 ~/.m2/repository && chmod -R u+w ~/.m2/repository; }\n"

func (s seed) before() (script string) {
	if s.dir == "" {
		return ""
	}
	if s.npm {
		script = copyNpm
	}
	if s.pnpm {
		script += copyPnpm
	}
	if s.cargo {
		script += copyCargo
	}
	if s.uv {
		script += copyUv
	}
	if s.maven {
		script += copyMaven
	}
	return script
}
