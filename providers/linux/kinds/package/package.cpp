// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "engine/model/resource_keys.hpp"
#include "engine/provider/action_methods.hpp"
#include "providers/linux/kinds/interface/bound.hpp"
#include "providers/linux/kinds/package/package_database.hpp"
#include "providers/linux/kinds/rows.hpp"
#include "providers/linux/kinds/sh/scripts.hpp"
#include "providers/linux/kinds/subnet_manager/manager_state.hpp"

namespace fabric::providers {

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
  const auto impossible = [&address](std::string_view why) {
    return Error{ErrorCode::invalid, fmt::format("{}: {}", address.str(), why)};
  };
  if (change.kind == ChangeKind::remove)
    return impossible("fabric removes no package: others may need it");
  if (change.attributes.empty()) return Work{};
  if (!is_package_name(address.name)) return impossible("this name can't be the name of a package");
  const PackageDatabase& database = package_database(context.facts);
  if (install_command(database, address.name).empty())
    return impossible("the node has no program that installs packages");
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
