// SPDX-License-Identifier: Apache-2.0
// The programs that install and remove the vendor's bundles on an ESX host: esxupdate, and rpm of
// ESX 3.5.
#include <algorithm>

#include <fmt/format.h>

#include "providers/esx_classic/lab/esx_classic_machine.hpp"
#include "providers/esx_classic/lab/esx_classic_programs.hpp"

namespace fabric::lab::esx_classic {
namespace {

EsxClassicMachine& console_of(Process& process) {
  return static_cast<EsxClassicMachine&>(process.machine());
}

bool is_among(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// The word behind `option`; "" = it is not given.
std::string given(const std::vector<std::string>& words, std::string_view option) {
  const auto found = std::find(words.begin(), words.end(), option);
  return found == words.end() || found + 1 == words.end() ? std::string{} : *(found + 1);
}

// The package that must be removed or installed before; "" = none.
std::string stands_in_the_way(const EsxClassicMachine& machine, const Bulletin& of, bool installs) {
  const std::vector<std::string> there = machine.modules();
  if (installs) {
    for (const std::string& module : of.needs)
      if (!is_among(there, module)) return fmt::format("{} requires {}", of.id, module);
    return "";
  }
  for (const Bulletin& other : machine.installed())
    for (const std::string& module : of.modules)
      if (is_among(other.needs, module)) return fmt::format("{} is needed by {}", of.id, other.id);
  return "";
}

// E-esx-bundles
int remove_bulletin(Process& process, const std::string& id) {
  EsxClassicMachine& machine = console_of(process);
  for (const Bulletin& bulletin : machine.installed()) {
    if (bulletin.id != id) continue;
    if (const std::string why = stands_in_the_way(machine, bulletin, false); !why.empty()) {
      process.out(fmt::format("Encountered error DependencyError:\n{}\n", why));
      return 13;
    }
    machine.remove(id);
    process.out(
        "The update completed successfully, but the system needs to be rebooted for the "
        "changes to be effective.\n");
    return 0;
  }
  process.out(fmt::format("No bulletin {} is installed\n", id));
  return 1;
}

// E-esx-bundles
int install_file(Process& process, const std::string& path, bool signature_counts) {
  EsxClassicMachine& machine = console_of(process);
  const auto text = process.read_file(path);
  const auto bulletin = text ? bulletin_of(*text) : std::nullopt;
  if (!bulletin) {
    process.out(fmt::format("Encountered error BundleFormatError: {}\n", path));
    return 1;
  }
  // The vendor's own Ethernet driver is not signed by VMware (guide, 4.2.1).
  if (signature_counts && is_among(bulletin->modules, "mlx4_en")) {
    process.out("Encountered error SignatureError: the bundle is not signed\n");
    return 1;
  }
  if (const std::string why = stands_in_the_way(machine, *bulletin, true); !why.empty()) {
    process.out(fmt::format("Encountered error DependencyError:\n{}\n", why));
    return 13;
  }
  machine.install(*bulletin);
  process.out(
      "The update completed successfully, but the system needs to be rebooted for the "
      "changes to be effective.\n");
  return 0;
}

}  // namespace

// (E-esx-bundles)
int esxupdate(Process& process) {
  const std::vector<std::string>& words = process.arguments;
  const std::string& verb = words.back();
  if (verb == "query") {
    process.out("----Bulletin ID----- -----Installed----- --------------Summary---------------\n");
    for (const Bulletin& bulletin : console_of(process).installed())
      process.out(fmt::format("{} 2010-01-13T05:09:39 {}\n", bulletin.id, bulletin.summary));
    return 0;
  }
  const std::string bundle = given(words, "--bundle");
  if (verb == "remove" && !given(words, "-b").empty())
    return remove_bulletin(process, given(words, "-b"));
  if (verb == "update" && !bundle.empty())
    return install_file(process, bundle, !is_among(words, "--nosigcheck"));
  if (verb == "info" && !bundle.empty()) {
    const auto text = process.read_file(bundle);
    const auto bulletin = text ? bulletin_of(*text) : std::nullopt;
    if (!bulletin) return 1;
    process.out(fmt::format(
        "ID            - {}\nRelease date  - 2010-01-13\nVendor        - Mellanox\n"
        "Summary       - {}\n",
        bulletin->id,
        bulletin->summary));
    return 0;
  }
  process.out("Usage: esxupdate [options] <query|info|scan|check|update|stage|remove>\n");
  return 1;
}

int rpm(Process& process) {
  const std::vector<std::string>& words = process.arguments;
  const std::string mode = words.size() > 1 ? words[1] : "";
  if (mode == "-qa") {
    for (const Bulletin& bulletin : console_of(process).installed())
      process.out(bulletin.id + "\n");
    return 0;
  }
  if (mode == "-qp") {
    const auto text = process.read_file(words.back());
    const auto bulletin = text ? bulletin_of(*text) : std::nullopt;
    if (!bulletin) return 1;
    process.out(bulletin->id + "\n");
    return 0;
  }
  if (mode == "-q") {
    for (const Bulletin& bulletin : console_of(process).installed())
      if (bulletin.id == words.back()) return 0;
    process.out(fmt::format("package {} is not installed\n", words.back()));
    return 1;
  }
  if (mode == "-e") return remove_bulletin(process, words.back());
  if (mode == "-i") return install_file(process, words.back(), false);
  process.err("RPM version 4.2.3\n");
  return 1;
}

}  // namespace fabric::lab::esx_classic
