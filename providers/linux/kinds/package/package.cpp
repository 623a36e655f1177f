// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/provider/action_methods.hpp"
#include "providers/linux/kinds/interface/bound.hpp"
#include "providers/linux/kinds/package/package_database.hpp"
#include "providers/linux/kinds/rows.hpp"
#include "providers/linux/kinds/sh/scripts.hpp"
#include "providers/linux/kinds/subnet_manager/manager_state.hpp"

namespace fabric::providers {

namespace {

constexpr std::string_view kPackageDatabaseProbe = "packages";

// The state of a package that is installed in part, from the second letter of dpkg's three (wanted,
// state, error); nullopt if at most configuration files are left.
std::optional<std::string> unfinished_state(std::string_view abbreviation) {
  if (abbreviation.size() > 2 && abbreviation[2] == 'R') return "broken, to be reinstalled";
  switch (abbreviation.size() < 2 ? 'n' : abbreviation[1]) {
    case 'i':
    case 't':  // its own triggers are still to run: it satisfies packages that need it (dpkg(1))
      return "";
    case 'W':
      return "waiting for triggers";
    case 'F':
      return "half-configured";
    case 'U':
      return "unpacked";
    case 'H':
      return "half-installed";
    default:
      return std::nullopt;
  }
}

class PackageDatabaseReader {
 public:
  PackageDatabase read(std::string_view output) {
    database_.why = "the node has neither dpkg nor rpm";
    for (const std::string_view line : split_lines(output)) {
      if (line.starts_with("== ")) {
        mark(split_words(line.substr(3)));
      } else if (in_list_) {
        package(split(line, '\t'));
      }
    }
    // The list is only whole with its status behind it.
    if (in_list_) database_.why = "the list of packages is cut short";
    if (!database_.why.empty()) database_.packages.clear();
    return std::move(database_);
  }

 private:
  void mark(const std::vector<std::string_view>& words) {
    if (words.size() == 1 && words[0] == "interrupted") database_.interrupted = true;
    if (words.size() != 2) return;
    if (words[0] == "tool") database_.tools.emplace_back(words[1]);
    if (words[0] == "list") {
      database_.format = words[1] == "dpkg" ? PackageFormat::dpkg : PackageFormat::rpm;
      in_list_ = true;
    }
    if (words[0] == "status" && in_list_) {
      in_list_ = false;
      database_.why = words[1] == "0"
                          ? ""
                          : fmt::format(
                                "{} could not read its database: exit {}",
                                database_.format == PackageFormat::dpkg ? "dpkg-query" : "rpm",
                                words[1]);
    }
  }

  // "ii \tbash\t5.2.15-2", by rpm "bash\t5.1.8-9.el9".
  void package(const std::vector<std::string_view>& fields) {
    const bool dpkg = database_.format == PackageFormat::dpkg;
    if (fields.size() != (dpkg ? 3U : 2U)) return;
    const std::optional<std::string> unfinished = dpkg ? unfinished_state(fields[0]) : "";
    const std::string_view name = fields[fields.size() - 2];
    if (!unfinished || name.empty()) return;
    const auto [entry, is_new] = database_.packages.try_emplace(
        std::string{name}, InstalledPackage{std::string{fields.back()}, *unfinished});
    // Of two architectures, one that is fully installed is enough.
    if (!is_new && unfinished->empty()) entry->second = {std::string{fields.back()}, ""};
  }

  PackageDatabase database_;
  bool in_list_ = false;
};

}  // namespace

bool PackageDatabase::has_tool(std::string_view name) const {
  return std::find(tools.begin(), tools.end(), name) != tools.end();
}

const InstalledPackage* PackageDatabase::find(std::string_view name) const {
  const auto found = packages.find(name);
  return found == packages.end() ? nullptr : &found->second;
}

Probe package_probe() {
  return {std::string{kPackageDatabaseProbe}, std::string{sh::probe_packages.text}};
}

namespace {

PackageDatabase read_packages(std::string_view output) {
  return PackageDatabaseReader{}.read(output);
}

PackageDatabase unread_packages() {
  PackageDatabase unread;
  unread.why = "the list of packages could not be read";
  return unread;
}

}  // namespace

const PackageDatabase& package_database(const NodeFacts& facts) {
  static const PackageDatabase unread = unread_packages();
  const PackageDatabase* database = facts.parsed(kPackageDatabaseProbe, read_packages);
  return database == nullptr ? unread : *database;
}

namespace {

constexpr const char* kInstalled = "installed";
constexpr Duration kInstallTakes{900'000};

bool is_name_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// Debian policy 5.6.1, with what rpm allows beside. To apt-get, NAME- is an order to remove NAME,
// and to dnf @NAME is a group.
bool is_package_name(std::string_view name) {
  constexpr std::string_view kMarks = "+._-";
  return !name.empty() && is_name_letter(name.front()) && name.back() != '-' &&
         std::all_of(name.begin(), name.end(), [kMarks](char c) {
           return is_name_letter(c) || kMarks.find(c) != std::string_view::npos;
         });
}

Reading reading_of(const PackageDatabase& database, const std::string& name) {
  if (!database.why.empty()) return Reading::unknown(database.why);
  const InstalledPackage* package = database.find(name);
  if (package != nullptr && package->unfinished.empty()) return Reading::of(true);
  if (database.interrupted)
    return Reading::unknown("dpkg was interrupted on the node; run: dpkg --configure -a");
  return package == nullptr ? Reading::absent() : Reading::of(package->unfinished);
}

// True if the package's program is on the node already, from any source.
bool has_program(const Resource& resource, const NodeFacts& facts) {
  return bound_text(resource, keys::kProgram) == "opensm" && manager_state(facts).has_opensm;
}

// Empty if the node has no program for it.
remote::Argv install_command(const PackageDatabase& database, const std::string& name) {
  if (database.format == PackageFormat::dpkg) {
    if (!database.has_tool("apt-get")) return {};
    return {"sh", "-c", sh::apt_install, "fabric", name};
  }
  if (database.has_tool("dnf"))
    return {"dnf", "-q", "-y", "--setopt=install_weak_deps=False", "install", name};
  if (database.has_tool("yum")) return {"yum", "-q", "-y", "install", name};
  if (database.has_tool("zypper"))
    return {"zypper", "--non-interactive", "--quiet", "install", "--no-recommends", name};
  return {};
}

// Both commands refuse if another package needs it by then, which apt-get and dnf would remove too.
remote::Argv remove_command(const PackageDatabase& database, const std::string& name) {
  if (database.format == PackageFormat::dpkg)
    return {"env", "DEBIAN_FRONTEND=noninteractive", "dpkg", "--remove", name};
  return {"rpm", "-e", name};
}

ActionDraft install_draft(const ResourceAddress& address, const PackageDatabase& database) {
  ActionDraft draft;
  draft.kind = methods::kPackageInstall;
  draft.title = "install " + address.name;
  draft.stage = Stage::prepare;
  draft.timeout = kInstallTakes;
  draft.steps.run(install_command(database, address.name));
  draft.postconditions.push_back({address, kInstalled, Layer::persistent, true});
  if (const InstalledPackage* before = database.find(address.name)) {
    draft.irreversible = fmt::format("it was {} before", before->unfinished);
  } else {
    draft.preconditions.push_back({address, kInstalled, Layer::persistent, Value{}});
    draft.undo.run(remove_command(database, address.name));
  }
  return draft;
}

std::vector<Probe> probes_of_package() {
  return {package_probe()};
}

std::vector<Observation> observe_package(
    std::span<const Resource> wanted, const NodeFacts& facts, Diagnostics& /*diagnostics*/) {
  const PackageDatabase& database = package_database(facts);
  return observe_each(wanted, [&](const Resource& resource, Observation& observation) {
    observation.attributes[kInstalled].persistent =
        has_program(resource, facts) ? Reading::of(true)
                                     : reading_of(database, resource.address.name);
  });
}

Result<Work> work_on_package(const Change& change, const WorkContext& context) {
  const ResourceAddress& address = change.resource.address;
  if (change.kind == ChangeKind::remove)
    return impossible(change.resource, "fabric removes no package: others may need it");
  if (change.attributes.empty()) return Work{};
  if (!is_package_name(address.name))
    return impossible(change.resource, "this name can't be the name of a package");
  const PackageDatabase& database = package_database(context.facts);
  if (install_command(database, address.name).empty())
    return impossible(change.resource, "the node has no program that installs packages");
  Work work;
  work.actions.push_back(install_draft(address, database));
  return work;
}

}  // namespace

// "package": software of the distribution that must be installed. Missing packages are installed;
// none is ever upgraded, and only packages that fabric installed are removed, to roll it back. One
// attribute, `installed`, in the persistent layer. By apt-get, dnf, yum or zypper.
Provider package_provider() {
  return {
      .kind = kinds::kPackage,
      .probes = probes_of_package,
      .observe = observe_package,
      .disruption = always(Disruption::none),
      .work = work_on_package,
  };
}

}  // namespace fabric::providers
