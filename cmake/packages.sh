# Sourced by examples/try.sh and tests/run.sh: what they need from apt, and how it gets there.
# Nothing is installed that is already there; what is installed is named first.

build_packages=(g++ cmake ninja-build pkg-config libyaml-cpp-dev nlohmann-json3-dev libssh-dev libssl-dev
  libboost-graph-dev libfmt-dev libspdlog-dev libcli11-dev
  libibnetdisc-dev libibumad-dev libibmad-dev)
test_packages=(catch2 python3 python3-yaml python3-jsonschema openssh-server openssh-client busybox-static)
# For `ctest -L ib`, which is skipped without them: real OpenSM on simulated fabrics.
ib_packages=(ibsim-utils opensm infiniband-diags)
tidy_packages=(clang clang-tidy clang-format)
fuzz_packages=(clang libclang-rt-14-dev)

install_packages() {
  local missing=() package
  for package in "$@"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return 0
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "need root or sudo to install: ${missing[*]}" >&2; return 1; }
    as_root=(sudo)
  fi
  command -v apt-get >/dev/null || { echo "no apt-get here; install by hand: ${missing[*]}" >&2; return 1; }
  echo "installing from apt: ${missing[*]}"
  "${as_root[@]}" apt-get update -qq
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# As many jobs as cores, but 1.5 GB of memory each: a sanitizer build of a template-heavy file takes it.
build_jobs() {
  local cores memory_gb
  cores=$(nproc)
  memory_gb=$(awk '/MemAvailable/ {print int($2 / 1572864)}' /proc/meminfo)
  [ "$memory_gb" -lt 1 ] && memory_gb=1
  [ "$cores" -lt "$memory_gb" ] && echo "$cores" || echo "$memory_gb"
}
