// SPDX-License-Identifier: Apache-2.0
#include "engine/platform/pending_boot.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "engine/base/text.hpp"

namespace fabric {

namespace {

// A host writes files of its own while it boots, which is no change.
constexpr std::int64_t kBootingSeconds = 300;

struct PendingBoot {
  std::optional<std::int64_t> booted;                         // seconds, as all below
  std::vector<std::pair<std::string, std::int64_t>> files;    // and when each was changed
  std::vector<std::pair<std::string, std::int64_t>> kernels;  // release, and time of installation
  std::set<std::string, std::less<>> ours;                    // files that fabric wrote or edited
  std::vector<std::string> packages;                          // packages that ask for a boot
  std::string running;                                        // release of the kernel
  std::string asked;                                          // what asks for a boot; "" = nothing
};

void read_line(PendingBoot& pending, std::string_view line) {
  const std::size_t blank = line.find(' ');
  if (blank == std::string_view::npos) return;
  const std::string_view word = line.substr(0, blank);
  const std::string_view rest = trim(line.substr(blank + 1));
  if (word == "btime") pending.booted = parse_integer(rest);
  if (word == "running") pending.running = rest;
  if (word == "ours") pending.ours.emplace(rest);
  if (word == "package") pending.packages.emplace_back(rest);
  if (word == "asked") pending.asked = rest;
  if (word != "file" && word != "kernel") return;
  // "file 1764200000 /etc/NetworkManager/system-connections/Wired connection 1.nmconnection"
  const std::size_t after_time = rest.find(' ');
  if (after_time == std::string_view::npos) return;
  const auto time = parse_integer(rest.substr(0, after_time));
  const std::string path{trim(rest.substr(after_time + 1))};
  if (!time || path.empty()) return;
  if (word == "file") pending.files.emplace_back(path, *time);
  if (word == "kernel") pending.kernels.emplace_back(path, *time);
}

PendingBoot read_pending(std::string_view output) {
  PendingBoot pending;
  for (const std::string_view line : split_lines(output))
    read_line(pending, line);
  return pending;
}

bool is_newer(const std::string& release, const std::string& than) {
  return strverscmp(release.c_str(), than.c_str()) > 0;
}

// The newest of the kernels that came since the boot and are newer than the running one: a boot
// loader takes the newest, unless it was configured otherwise.
std::string next_kernel(const PendingBoot& pending) {
  std::string next;
  for (const auto& [release, time] : pending.kernels) {
    const bool came_since = time > *pending.booted + kBootingSeconds;
    const bool newer = is_newer(release, next.empty() ? pending.running : next);
    if (came_since && newer) next = release;
  }
  return pending.running.empty() ? std::string{} : next;
}

}  // namespace

std::vector<std::string> pending_at_boot(const NodeFacts& facts) {
  const PendingBoot& pending = facts.parsed_or_none(kPendingBootProbe, read_pending);
  std::vector<std::string> found;
  if (!pending.booted) return found;
  if (const std::string next = next_kernel(pending); !next.empty())
    found.push_back(fmt::format("the kernel {} in place of {}", next, pending.running));
  for (const auto& [path, time] : pending.files) {
    if (time > *pending.booted + kBootingSeconds && !pending.ours.contains(path))
      found.push_back(fmt::format("{}, which was changed since the last boot", path));
  }
  std::vector<std::string> packages = pending.packages;
  std::sort(packages.begin(), packages.end());
  packages.erase(std::unique(packages.begin(), packages.end()), packages.end());
  if (!packages.empty()) {
    found.push_back("updates of these packages: " + join(packages, ", "));
  } else if (!pending.asked.empty()) {
    found.push_back(fmt::format("changes that {} announces", pending.asked));
  }
  return found;
}

}  // namespace fabric
