// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/package/package_database.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/linux/kinds/sh/scripts.hpp"

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

}  // namespace fabric::providers
