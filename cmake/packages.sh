# SPDX-License-Identifier: Apache-2.0
# Sourced by examples/try.sh and tests/run.sh: what they need from the distribution, and how it gets there.
# Nothing is installed that is already there; what is installed is named first. Names are those of Debian 12 and Ubuntu;
# those of Fedora, RHEL (with EPEL and CRB) and openSUSE, below, were never tried.

build_packages=(g++ cmake ninja-build pkg-config libyaml-cpp-dev nlohmann-json3-dev libssh-dev libssl-dev
  libboost-graph-dev libfmt-dev libspdlog-dev libcli11-dev libmimalloc-dev
  libibnetdisc-dev libibumad-dev libibmad-dev libgraphviz-dev)
# The tests are built by clang and lld; `ctest -L ib` has real OpenSM on simulated fabrics, which needs a network namespace.
test_packages=(clang lld libclang-rt-14-dev clang-format catch2 strace git util-linux python3 python3-yaml python3-jsonschema
  openssh-server openssh-client busybox-static dash shellcheck ibsim-utils opensm infiniband-diags)
tidy_packages=(clang clang-tidy)
# Of tests/run.sh --all besides, for a cluster that the test starts itself. Without a slurm.conf munge is the only service that begins.
slurm_packages=(slurmctld slurmd slurm-client munge)

package_manager() {
  local manager
  for manager in apt-get dnf zypper; do
    command -v "$manager" >/dev/null && { echo "$manager"; return 0; }
  done
  return 1
}

# What a package of Debian is called by another manager; equal names are not listed.
declare -A names_of_dnf=([g++]=gcc-c++ [pkg-config]=pkgconf-pkg-config [libyaml-cpp-dev]=yaml-cpp-devel [nlohmann-json3-dev]=json-devel
  [libssh-dev]=libssh-devel [libssl-dev]=openssl-devel [libboost-graph-dev]=boost-devel [libfmt-dev]=fmt-devel
  [libspdlog-dev]=spdlog-devel [libcli11-dev]=cli11-devel [libmimalloc-dev]=mimalloc-devel [libibnetdisc-dev]=rdma-core-devel [libibumad-dev]=rdma-core-devel
  [libibmad-dev]=rdma-core-devel [libgraphviz-dev]=graphviz-devel [catch2]=catch-devel [python3-yaml]=python3-pyyaml [openssh-client]=openssh-clients
  [busybox-static]=busybox [ibsim-utils]=ibsim [clang-tidy]=clang-tools-extra [clang-format]=clang-tools-extra
  [libclang-rt-14-dev]=compiler-rt [slurmctld]=slurm-slurmctld [slurmd]=slurm-slurmd [slurm-client]=slurm [shellcheck]=ShellCheck)
declare -A names_of_zypper=([g++]=gcc-c++ [ninja-build]=ninja [libyaml-cpp-dev]=yaml-cpp-devel [nlohmann-json3-dev]=nlohmann_json-devel
  [libssh-dev]=libssh-devel [libssl-dev]=libopenssl-devel [libboost-graph-dev]=boost-devel [libfmt-dev]=fmt-devel
  [libspdlog-dev]=spdlog-devel [libcli11-dev]=cli11-devel [libmimalloc-dev]=mimalloc-devel [libibnetdisc-dev]=rdma-core-devel [libibumad-dev]=rdma-core-devel
  [libibmad-dev]=rdma-core-devel [libgraphviz-dev]=graphviz-devel [catch2]=Catch2-devel [python3-yaml]=python3-PyYAML [openssh-client]=openssh-clients
  [ibsim-utils]=ibsim [clang-tidy]=clang-tools [clang-format]=clang-tools [libclang-rt-14-dev]=clang
  [slurmctld]=slurm [slurmd]=slurm-node [slurm-client]=slurm [shellcheck]=ShellCheck)

# Debian's names, one a line, as the manager here knows them.
package_names() {
  local manager=$1 package
  shift
  for package in "$@"; do
    case $manager in
      dnf) echo "${names_of_dnf[$package]:-$package}" ;;
      zypper) echo "${names_of_zypper[$package]:-$package}" ;;
      *) echo "$package" ;;
    esac
  done | sort -u
}

is_installed() {
  if [ "$1" = apt-get ]; then
    dpkg-query -W -f '${Status}' "$2" 2>/dev/null | grep -q 'ok installed'
  else
    rpm -q --whatprovides "$2" >/dev/null 2>&1
  fi
}

install_packages() {
  local manager missing=() package as_root=()
  manager=$(package_manager) || { echo "no apt-get, dnf or zypper here; install by hand: $*" >&2; return 1; }
  while read -r package; do
    is_installed "$manager" "$package" || missing+=("$package")
  done < <(package_names "$manager" "$@")
  [ ${#missing[@]} -eq 0 ] && return 0
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "need root or sudo to install: ${missing[*]}" >&2; return 1; }
    as_root=(sudo)
  fi
  echo "installing by $manager: ${missing[*]}"
  case $manager in
    apt-get)
      "${as_root[@]}" apt-get -o Acquire::Retries=5 update -qq
      "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o Acquire::Retries=5 -o DPkg::Lock::Timeout=300 \
        install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
      ;;
    dnf) "${as_root[@]}" dnf install -y -q --setopt=install_weak_deps=False "${missing[@]}" >/dev/null ;;
    zypper) "${as_root[@]}" zypper --quiet --non-interactive install --no-recommends "${missing[@]}" >/dev/null ;;
  esac
}

# As many jobs as cores, but 1.5 GB of memory each: a sanitizer build of a template-heavy file takes it.
build_jobs() {
  local cores memory_gb
  cores=$(nproc)
  memory_gb=$(awk '/MemAvailable/ {print int($2 / 1572864)}' /proc/meminfo)
  [ "$memory_gb" -lt 1 ] && memory_gb=1
  [ "$cores" -lt "$memory_gb" ] && echo "$cores" || echo "$memory_gb"
}
