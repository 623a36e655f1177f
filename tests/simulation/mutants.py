#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Deliberate defects, to prove that the monitors of the simulation bite.

usage: mutants.py list                              name and file of each, a line each
       mutants.py check SOURCE_ROOT                 is every text still there?
       mutants.py make NAME SOURCE_ROOT OUTPUT      writes the mutated copy of its file
       mutants.py run BUILD_DIR FOLDER [NAME...]    builds each and looks for the seed that catches it

Nothing of the product knows of them: a mutant is a copy of one source file with one text replaced, linked
before the library that has the original. A text that is not there exactly once any more fails the build.
"""
import os
import pathlib
import subprocess
import sys

SEEDS = int(os.environ.get("FABRIC_MUTANT_SEEDS", "500"))
# What a mutant is caught by where the seeds do not tell of it.
STORIES = {"hosts-before-switches": ["--mtu-pairs", "1"], "managers-in-passing": ["--mtu-pairs", "1"],
           "undo-of-what-runs": ["--undos", "60"]}
# name: (file, text, replacement)
MUTANTS = {
    "skip-lock": (
        "engine/execute/lease/leases.cpp",
        "Result<void> Leases::take() {\n",
        "Result<void> Leases::take() {\n"
        "  for (const auto& [node, host] : nodes_)\n"
        "    held_[node] = {now() + terms_.length * 1000, now() + terms_.length * 1000, now()};\n"
        "  if (!held_.empty()) return {};\n"),
    "skip-read-back": (
        "engine/execute/action/work_run.cpp",
        "  if (++at_ < steps_.size()) return steps_[at_];\n  return read_back();\n",
        "  if (++at_ < steps_.size()) return steps_[at_];\n  return end(ActionState::done, ErrorCode::internal, {});\n"),
    "ignore-boot-id": (
        "engine/execute/reboot/reboot.cpp",
        "if (!is_same(before_, seen_before_, *boot, now)) return another_boot(now, *boot);",
        "return another_boot(now, *boot);"),
    "no-fsync": (
        "engine/execute/journal/journal.cpp",
        "  return file_.sync();\n",
        "  return {};\n"),
    "neighbours-together": (
        "plans/anti_affinity.cpp",
        "  return found == others_.end() ? none : found->second;\n",
        "  static_cast<void>(found);\n  return none;\n"),
    "no-precondition": (
        "engine/execute/action/work_run.cpp",
        "  if (!stale.empty()) return end(ActionState::failed, ErrorCode::stale, stale.front().text());\n"
        "  state_ = State::working;\n",
        "  state_ = State::working;\n"),
    "drain-released-early": (
        "plans/health_gates.cpp",
        "      if (vertex != closer && graph_.actions[vertex].wave <= wave)\n"
        "        graph_.after.emplace(vertex, closer);\n",
        "      static_cast<void>(wave), static_cast<void>(vertex);\n"),
    "one-too-many": (
        "plans/waves.cpp",
        "    if (used_[wave] >= capacity_) next_[wave] = wave + 1;\n",
        "    if (used_[wave] > capacity_) next_[wave] = wave + 1;\n"),
    "no-rollback-timer": (
        "engine/execute/guard/guarded_run.cpp",
        "  if (!inner_->changes_node()) return step;\n",
        "  if (!inner_->changes_node() || action_.guard > Duration{0}) return step;\n"),
    "timer-left-armed": (
        "engine/execute/guard/guarded_run.cpp",
        "  if (right || order_.across_reboot) return disarm();\n",
        "  if (right || order_.across_reboot) return end();\n"),
    "disarming-not-flushed": (
        "providers/linux/machine/sh/guard_disarm.sh",
        "revoke \"$1\"\nwithdraw \"$1\" \"$2\"\nsay \"$1\"\n",
        "flush_folder() { :; }\nrevoke \"$1\"\nwithdraw \"$1\" \"$2\"\nsay \"$1\"\n"),
    "late-is-let-in": (
        "providers/linux/machine/rollback_timer.cpp",
        "  remote::set_gate(step, folder(token) + \"/armed\");\n",
        "  remote::set_gate(step, {});\n  static_cast<void>(token);\n"),
    # What is sent is done, whoever holds the lock by then.
    "no-fencing": (
        "providers/linux/machine/sh/fence.sh",
        "refuse() { echo \"lease lost: $1\" >&2; exit 76; }\n",
        "refuse() { :; }\n"),
    # What is edited after it was read is taken for what was read.
    "no-file-digest": (
        "engine/remote/sh/file_digest.sh",
        "is_unchanged() { [ \"$(file_digest \"$1\")\" = \"$2\" ]; }\n",
        "is_unchanged() { :; }\n"),
    "lease-by-wall-clock": (
        "providers/linux/machine/sh/lock_read.sh",
        "read -r boot </proc/sys/kernel/random/boot_id\nread -r now rest </proc/uptime\nnow=${now%%.*}\n",
        "boot=any\nnow=$(date +%s)\n"),
    # A host speaks 9000 bytes over ports of 1500.
    "hosts-before-switches": (
        "plans/carrier_order.cpp",
        "            before(*carriers.back(), *each);\n",
        "            static_cast<void>(each);\n"),
    # IPoIB gets its MTU while the group has the former one.
    "managers-in-passing": (
        "plans/carrier_order.cpp",
        "          before(*manager, *each);\n",
        "          static_cast<void>(manager);\n"),
    # What runs is as before, and what the next boot makes of it is not.
    "undo-of-what-runs": (
        "plans/undo.cpp",
        "    return std::ranges::all_of(kEveryLayer, [this](Layer layer) { return is_back(layer); });\n",
        "    return is_back(kEveryLayer[0]);\n"),
    # `need = ...` of the last resource of a node, where it must be `need |= ...`
    "reboot-need-assigned": (
        "plans/reboots.cpp",
        "    if (candidate.planned() && candidate.change.disruption() >= Disruption::reboot) {\n"
        "      nodes.insert(candidate.address().node);\n"
        "    }\n",
        "    if (!candidate.planned()) continue;\n"
        "    if (candidate.change.disruption() >= Disruption::reboot) {\n"
        "      nodes.insert(candidate.address().node);\n"
        "    } else {\n"
        "      nodes.erase(candidate.address().node);\n"
        "    }\n"),
}


def mutated(name, root):
    file, text, replacement = MUTANTS[name]
    source = (pathlib.Path(root) / file).read_text()
    if source.count(text) != 1:
        sys.exit(f"mutant {name}: {file} has {source.count(text)} times:\n{text}")
    return source.replace(text, replacement)


def make(name, root, build, output):
    file, text, replacement = MUTANTS[name]
    source = mutated(name, root)
    if file.endswith(".sh"):  # all scripts of its folder as they are compiled in, and what includes it with them
        source = (pathlib.Path(build) / "scripts" / file).with_name("scripts.cpp").read_text().replace(text, replacement)
    pathlib.Path(output).write_text(source)


def caught(name, program):
    """The violation and in how many seeds, or None: a crash proves nothing about the monitors."""
    told = ["--seeds", "0"] + STORIES[name] if name in STORIES else ["--seeds", str(SEEDS)]
    done = subprocess.run([program, *told, "--stop", "1"], capture_output=True, text=True, timeout=3000)
    if done.returncode == 0:
        return None
    lines = done.stdout.splitlines()
    violation = next((line.split(": ", 1)[1] for line in lines if line.startswith("  violation: ")), None)
    if violation is None:
        print(f"  ended with {done.returncode}: {(done.stderr.strip().splitlines() or ['nothing said'])[-1]}", flush=True)
        return None
    seeds = next(line.split()[0] for line in lines if line.endswith("with violations"))
    return f"{seeds} seeds: {violation}"


def run(build, folder, names):
    escaped = 0
    for name in names or MUTANTS:
        target = f"simulation_mutant_{name}"
        subprocess.run(["cmake", "--build", build, "--target", target], check=True, stdout=subprocess.DEVNULL)
        how = caught(name, pathlib.Path(folder) / target)
        escaped += how is None
        print(f"{name:22} {f'caught in {how}' if how else f'NOT caught in {SEEDS} seeds'}", flush=True)
    return escaped


if __name__ == "__main__":
    if sys.argv[1] == "list":
        print("\n".join(f"{name} {file}" for name, (file, _, _) in MUTANTS.items()))
    elif sys.argv[1] == "check":
        for each in MUTANTS:
            mutated(each, sys.argv[2])
    elif sys.argv[1] == "make":
        make(*sys.argv[2:])
    else:
        sys.exit(run(sys.argv[2], sys.argv[3], sys.argv[4:]) != 0)
