#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What is too long for the gate, by hand, when what it covers has changed. Nothing here stops a landing.
#
#   tests/long.sh --list               what there is, what it shows, how long it takes
#   tests/long.sh NAME[=LIMIT] ...     runs these; without a name, all. LIMIT is in the unit that --list names
set -uo pipefail
cd "$(dirname "$0")/.."
. cmake/packages.sh

# NAME, default limit, unit, about how long with it on 2 cores, what it shows
list='try          3600   seconds          10 min   the README on a fresh machine: GCC compiles the program, a ring converges in the lab
tidy         10000  minutes          70 min   clang-tidy of every file; with a limit, of those that were changed last
fuzz         60     seconds a target 25 min   libFuzzer finds no input that breaks a parser, a budget of memory or of time
vm           3600   seconds          60 min   networkd and ifupdown on real kernels, in virtual machines (as root)
fleet        20     hosts            20 min   waves and lost hosts, in containers that reboot (as root); of 8 hosts or more
kill         50     kills            25 min   an apply that is killed or hung up at any instant: the next one converges
mutants      500    seeds            60 min   each deliberate defect is found by a monitor of the simulation
seeds        2000   seeds            15 min   random fabrics under faults: no monitor sees a violation
all-stories  3600   seconds          30 min   every story of the lab and every golden case with a lab
examples     3600   seconds          15 min   every example converges over real SSH, also after a boot of everything
datasets     600    seconds           1 min   each data set of other tools that lies beside the checkout becomes a document
matrix       500    pairs            30 min   no text in any field of a document commands a CI system or a terminal, or forges a line, in any output
switches     900    seconds           5 min   no switch or ESXi host stops, floods or commands whoever discovers, plans and unlocks
real_tools   900   seconds           5 min   the real mstconfig of two releases says of cards that are not there what the lab says, and our parser reads it
real_ring    3600   seconds          15 min   a ring of three converges from factory settings by the real mstconfig, in virtual machines (as root)
sanitized    3600   seconds          25 min   no unit test finds an error of memory in a simulated machine: the gate instruments all but these
seventh      3600   seconds          15 min   a made-up platform is added by a folder and rows, and converges in the lab
reworded     3600   seconds          15 min   a program whose providers say everything in other words decides the same
bounds       7200   seconds          30 min   what hostile files cost, in the build that is used
performance  7200   seconds          40 min   what validate, plan, discover and apply cost, also beside clush, pdsh and others: docs/performance.md'

case ${1:-} in
  --list)
    printf '%-12s %-7s %-16s %-8s %s\n' name limit unit takes shows
    echo "$list"
    exit 0
    ;;
  -h | --help) sed -n '3,/^set/p' "$0" | sed -n 's/^# \{0,1\}//p'; exit 0 ;;
esac

default_of() { awk -v name="$1" '$1 == name { print $2 }' <<<"$list"; }
dev_program() {
  install_packages "${build_packages[@]}" "${test_packages[@]}" && cmake --preset dev >/dev/null &&
    cmake --build build/dev -j "$(build_jobs)" --target fabric
}
release() { # TARGET
  install_packages "${build_packages[@]}" "${test_packages[@]}" && cmake --preset release >/dev/null &&
    cmake --build build/release -j "$(build_jobs)" --target "$1"
}
run() { # NAME LIMIT
  local fabric=$PWD/build/release/engine/cli/fabric
  case $1 in
    try) rm -rf build/try && timeout "$2" examples/try.sh ;;
    tidy) install_packages "${build_packages[@]}" "${test_packages[@]}" "${tidy_packages[@]}" && tests/lint/tidy.sh "$2" ;;
    fuzz) tests/fuzz/all.sh "$2" ;;
    vm) release fabric && VMLAB_STACKS="networkd ifupdown" VMLAB_TRIES=2 VMLAB_SECONDS=$2 tests/vm/run.sh "$fabric" ;;
    fleet) release fabric && FLEET_HOSTS=$2 tests/fleet/run.sh "$fabric" ;;
    kill) release fabric && tests/lab/kill.py "$fabric" "$PWD" "$2" $((($2 * 2 + 4) / 5)) ;;
    mutants) release simulation_test && FABRIC_MUTANT_SEEDS=$2 tests/simulation/mutants.py run build/release build/release/tests/simulation ;;
    seeds) install_packages "${build_packages[@]}" "${test_packages[@]}" && tests/simulation/seeds.py "$2" ;;
    all-stories)
      dev_program && timeout "$2" tests/lab/scenarios.py build/dev/engine/cli/fabric "$PWD" &&
        tests/golden/run.py build/dev/engine/cli/fabric tests/golden/lab
      ;;
    examples) release fabric && timeout "$2" tests/lab/examples.py "$fabric" "$PWD" ;;
    datasets)
      dev_program && cmake --build build/dev -j "$(build_jobs)" --target test_description &&
        timeout "$2" build/dev/tests/test_description '[.datasets]'
      ;;
    matrix) release fabric_served && tests/hostile/matrix.py build/release/tests/fabric_served "$PWD" --pairs "$2" ;;
    switches) release fabric && timeout "$2" tests/hostile/switches.py "$fabric" "$PWD" ;;
    real_tools) release fabric && timeout "$2" tests/real_tools/real_tools.py "$fabric" "$PWD" ;;
    real_ring)
      release fabric && VMLAB_TOOL=trixie VMLAB_RING=1 VMLAB_STACKS="networkd networkd networkd" VMLAB_SECONDS=$2 \
        tests/vm/run.sh "$fabric" ring_of_three
      ;;
    sanitized)
      install_packages "${build_packages[@]}" "${test_packages[@]}" && cmake --preset dev -B build/sanitized -DFABRIC_PLAIN_LAB=OFF >/dev/null &&
        cmake --build build/sanitized -j "$(build_jobs)" && timeout "$2" ctest --test-dir build/sanitized -L unit -j "$(nproc)"
      ;;
    seventh) dev_program && timeout "$2" tests/platforms/seventh.py "$PWD" ;;
    reworded) dev_program && timeout "$2" tests/lint/reworded.py build/dev/engine/cli/fabric "$PWD" ;;
    bounds) release fabric && timeout "$2" tests/bounds/bounds.py "$fabric" --table ;;
    performance) release fabric && release recorded_hosts && { install_packages clustershell pdsh pssh ansible-core; timeout "$2" tests/benchmark/performance.py "$fabric"; } ;;
  esac
}

names=("$@")
[ ${#names[@]} -gt 0 ] || mapfile -t names < <(awk '{ print $1 }' <<<"$list")
for each in "${names[@]}"; do
  [ -n "$(default_of "${each%%=*}")" ] || { echo "tests/long.sh: no long test is called ${each%%=*}; see tests/long.sh --list" >&2; exit 3; }
done
logs=$(mktemp -d "${TMPDIR:-/tmp}/fabric-long.XXXXXX")
summary=() failed=0
for each in "${names[@]}"; do
  name=${each%%=*} limit=${each#*=}
  [ "$each" != "$name" ] || limit=$(default_of "$name")
  begun=$SECONDS
  run "$name" "$limit" >"$logs/$name" 2>&1
  status=$?
  case $status in
    0) verdict=passed ;;
    77) verdict=skipped ;;
    *) verdict=FAILED failed=1 ;;
  esac
  line=$(printf '%-12s %-8s %4d s  limit %-6s %s' "$name" "$verdict" $((SECONDS - begun)) "$limit" "$(grep -a . "$logs/$name" | tail -n 1 | cut -c1-120)")
  echo "$line"
  summary+=("$line")
done
echo
echo "summary (whole outputs are in $logs):"
printf '%s\n' "${summary[@]}"
exit $failed
