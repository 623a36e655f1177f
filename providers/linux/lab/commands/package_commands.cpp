// SPDX-License-Identifier: Apache-2.0
// dpkg dpkg-query apt-get apt-cache, as Debian 12 has them.
#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/linux/lab/commands/options.hpp"
#include "providers/linux/lab/commands/package_families.hpp"
#include "providers/linux/lab/system/packages.hpp"

namespace fabric::lab::commands {
namespace {

constexpr int kAptFailed = 100;
constexpr Duration kFetchTakes{1'500};
constexpr Duration kUnpackTakes{800};

int error(Process& process, int status, std::string_view message) {
  process.err(fmt::format("E: {}\n", message));
  return status;
}

char letter_of(std::string_view word) {
  constexpr std::pair<std::string_view, char> kLetters[] = {
      {"unknown", 'u'},
      {"install", 'i'},
      {"hold", 'h'},
      {"deinstall", 'r'},
      {"purge", 'p'},
      {"not-installed", 'n'},
      {"config-files", 'c'},
      {"half-installed", 'H'},
      {"unpacked", 'U'},
      {"half-configured", 'F'},
      {"triggers-awaited", 'W'},
      {"triggers-pending", 't'},
      {"installed", 'i'},
  };
  for (const auto& [name, letter] : kLetters) {
    if (name == word) return letter;
  }
  return '?';
}

// "install ok half-configured": "iF "
std::string abbreviation(std::string_view status) {
  const std::vector<std::string_view> words = split_words(status);
  if (words.size() != 3) return "?? ";
  return {letter_of(words[0]), letter_of(words[2]), words[1] == "reinstreq" ? 'R' : ' '};
}

std::string field_of(
    const std::string& field, const std::string& name, const DpkgPackage& package) {
  if (field == "Package" || field == "binary:Package") return name;
  if (field == "Version") return package.version;
  if (field == "Status") return package.status;
  if (field == "Architecture") return "amd64";
  if (field == "Depends") return package.depends;
  if (field == "db:Status-Abbrev") return abbreviation(package.status);
  return "";
}

// ${Field} and the escapes \n, \t.
std::string formatted(
    const std::string& format, const std::string& name, const DpkgPackage& package) {
  std::string text;
  for (std::size_t i = 0; i < format.size(); ++i) {
    const std::size_t end = format.find('}', i);
    if (format.compare(i, 2, "${") == 0 && end != std::string::npos) {
      text += field_of(format.substr(i + 2, end - i - 2), name, package);
      i = end;
    } else if (format[i] == '\\' && i + 1 < format.size()) {
      const char escape = format[++i];
      text += escape == 'n' ? '\n' : escape == 't' ? '\t' : escape;
    } else {
      text += format[i];
    }
  }
  return text;
}

// nullopt after having complained.
std::optional<DpkgPackages> database(Process& process) {
  std::optional<DpkgPackages> packages = read_dpkg_status(process.files());
  if (!packages)
    process.err(fmt::format(
        "{}: error: parsing file '{}' near line 1:\n end of file\n", process.name(), kDpkgStatus));
  return packages;
}

// The apt configuration of a command line: -o KEY=VALUE.
std::string setting(const Options& options, std::string_view key) {
  const auto given = options.given.find("o");
  if (given == options.given.end()) return "";
  for (const std::string& item : given->second) {
    if (item.size() > key.size() && item.compare(0, key.size(), key) == 0 &&
        item[key.size()] == '=') {
      return item.substr(key.size() + 1);
    }
  }
  return "";
}

// The packages to install for `name`, itself last; fully installed ones are left out.
// NOLINTNEXTLINE(misc-no-recursion): the archive's dependencies are no circle
void collect(const DpkgPackages& packages, std::string_view name, std::vector<std::string>& list) {
  const auto known = packages.find(name);
  if (known != packages.end() && known->second.installed()) return;
  if (std::ranges::find(list, name) != list.end()) return;
  if (const ArchivePackage* package = find_in_archive(name)) {
    for (const std::string_view each : split_words(package->depends))
      collect(packages, each, list);
  }
  list.emplace_back(name);
}

// Installed packages that one of `list` does not suffer beside it.
std::vector<std::string> removed_by(
    const DpkgPackages& packages, const std::vector<std::string>& list) {
  std::vector<std::string> removed;
  for (const std::string& name : list) {
    const ArchivePackage* package = find_in_archive(name);
    for (const std::string_view each : split_words(package == nullptr ? "" : package->conflicts)) {
      const auto found = packages.find(each);
      if (found != packages.end() && found->second.installed()) removed.emplace_back(each);
    }
  }
  return removed;
}

// Writes the database as dpkg does: a new file, flushed, then renamed.
bool write_database(Process& process, const DpkgPackages& packages) {
  FileTree& files = process.machine().state.files;
  const std::string made = fmt::format("{}-new", kDpkgStatus);
  return process.write_file(made, dpkg_status_text(packages)) &&
         files.sync(made) == FileError::none &&
         files.rename(made, kDpkgStatus, "root") == FileError::none &&
         files.sync("/var/lib/dpkg") == FileError::none;
}

class AptGet {
 public:
  AptGet(Process& process, Options options) : process_{process}, options_{std::move(options)} {}

  int run() {
    const std::string verb = options_.operands.empty() ? "" : options_.operands.front();
    if (verb.empty()) return error(process_, 1, "You must give at least one operation");
    names_.assign(options_.operands.begin() + 1, options_.operands.end());
    if (verb == "update") return update();
    if (verb == "install") return install();
    return error(process_, kAptFailed, fmt::format("Invalid operation {}", verb));
  }

 private:
  bool is_root(std::string_view lock) {
    if (process_.root()) return true;
    error(
        process_,
        kAptFailed,
        fmt::format("Could not open lock file {} - open (13: Permission denied)", lock));
    return false;
  }

  int locked(std::string_view lock) {
    const auto seconds = parse_integer(setting(options_, "DPkg::Lock::Timeout")).value_or(0);
    process_.session.pass(std::chrono::seconds{std::max<std::int64_t>(seconds, 0)});
    error(
        process_,
        kAptFailed,
        fmt::format("Could not get lock {}. It is held by process 812 (unattended-upgr)", lock));
    process_.err(
        "N: Be aware that removing the lock file is not a solution and may break your system.\n");
    return error(
        process_,
        kAptFailed,
        fmt::format(
            "Unable to acquire the dpkg frontend lock ({}), is another process using it?", lock));
  }

  int update() {
    if (!is_root("/var/lib/apt/lists/lock")) return kAptFailed;
    process_.session.pass(kFetchTakes);
    if (process_.machine().profile.archive == Archive::offline) {
      process_.err(
          "W: Failed to fetch http://deb.debian.org/debian/dists/bookworm/InRelease  Temporary "
          "failure resolving 'deb.debian.org'\n"
          "W: Some index files failed to download. They have been ignored, or old ones used "
          "instead.\n");
      return 0;
    }
    process_.out("Reading package lists...\n");
    if (!process_.write_file(kAptIndex, apt_index_text())) return kAptFailed;
    if (process_.machine().profile.archive != Archive::unsubscribed) return 0;
    // As on Proxmox without a subscription, after the other archives have been read.
    const std::string_view theirs = "https://enterprise.proxmox.com/debian/pve bookworm";
    error(
        process_,
        kAptFailed,
        fmt::format("Failed to fetch {}/InRelease  401  Unauthorized", theirs));
    return error(
        process_, kAptFailed, fmt::format("The repository '{} InRelease' is not signed.", theirs));
  }

  int install() {
    constexpr const char* kLock = "/var/lib/dpkg/lock-frontend";
    if (!is_root(kLock)) return kAptFailed;
    if (process_.machine().profile.archive == Archive::locked) return locked(kLock);
    process_.out("Reading package lists...\nBuilding dependency tree...\n");
    std::optional<DpkgPackages> packages = database(process_);
    if (!packages) return kAptFailed;
    std::vector<std::string> wanted;
    const std::vector<std::string> index = read_apt_index(process_.files());
    for (const std::string& name : names_) {
      if (!packages->contains(name) && std::ranges::find(index, name) == index.end())
        return error(process_, kAptFailed, "Unable to locate package " + name);
      collect(*packages, name, wanted);
    }
    const std::vector<std::string> removed = removed_by(*packages, wanted);
    if (!removed.empty() && options_.has("no-remove"))
      return error(process_, kAptFailed, "Packages need to be removed but remove is disabled.");
    for (const std::string& name : removed) {
      packages->find(name)->second.status = "deinstall ok config-files";
      remove_files(process_.machine(), name);
    }
    return carry_out(*packages, wanted);
  }

  int carry_out(DpkgPackages& packages, const std::vector<std::string>& wanted) {
    for (const std::string& name : wanted) {
      const ArchivePackage* package = find_in_archive(name);
      const auto known = packages.find(name);
      const bool only_configured = known != packages.end() &&
                                   known->second.status.find("config") != std::string::npos &&
                                   !known->second.status.ends_with("config-files");
      if (only_configured) continue;
      if (process_.machine().profile.archive == Archive::offline || package == nullptr)
        return unfetched(name, package == nullptr ? "0" : package->version);
    }
    for (const std::string& name : wanted) {
      const ArchivePackage* package = find_in_archive(name);
      DpkgPackage& here = packages[name];
      here.status = "install ok installed";
      if (package != nullptr) here.version = package->version;
      if (package != nullptr) here.depends = package->depends;
      process_.session.pass(kUnpackTakes);
      process_.out(fmt::format("Setting up {} ({}) ...\n", name, here.version));
    }
    for (const std::string& name : wanted)
      unpack(process_.machine(), name);
    return write_database(process_, packages) ? 0 : kAptFailed;
  }

  int unfetched(const std::string& name, std::string_view version) {
    process_.session.pass(kFetchTakes);
    error(
        process_,
        kAptFailed,
        fmt::format(
            "Failed to fetch http://deb.debian.org/debian/pool/main/{}/{}/{}_{}_amd64.deb  "
            "Temporary failure resolving 'deb.debian.org'",
            name.substr(0, 1),
            name,
            name,
            version));
    return error(
        process_,
        kAptFailed,
        "Unable to fetch some archives, maybe run apt-get update or try with --fix-missing?");
  }

  Process& process_;
  Options options_;
  std::vector<std::string> names_;
};

// The installed packages that need `name`.
std::string needed_by(const DpkgPackages& packages, const std::string& name) {
  for (const auto& [other, package] : packages) {
    if (!package.installed() || other == name) continue;
    const std::vector<std::string_view> depends = split_words(package.depends);
    if (std::ranges::find(depends, name) != depends.end()) return other;
  }
  return "";
}

int remove_package(Process& process, DpkgPackages& packages, const std::string& name) {
  const auto found = packages.find(name);
  if (found == packages.end() || !found->second.installed()) {
    process.err(
        fmt::format("dpkg: warning: ignoring request to remove {} which isn't installed\n", name));
    return 0;
  }
  if (const std::string other = needed_by(packages, name); !other.empty()) {
    process.err(fmt::format(
        "dpkg: dependency problems prevent removal of {0}:\n {1} depends on {0}.\n\n"
        "dpkg: error processing package {0} (--remove):\n dependency problems - not removing\n"
        "Errors were encountered while processing:\n {0}\n",
        name,
        other));
    return 1;
  }
  found->second.status = "deinstall ok config-files";
  process.out(fmt::format("Removing {} ({}) ...\n", name, found->second.version));
  remove_files(process.machine(), name);
  return 0;
}

}  // namespace

int dpkg(Process& process) {
  const std::optional<Options> options =
      parse_options(process, {.flags = "rs", .long_flags = {"remove", "configure"}});
  if (!options) return 2;
  std::optional<DpkgPackages> packages = database(process);
  if (!packages) return 2;
  if (!options->has("r") && !options->has("remove")) {
    process.err("dpkg: error: need an action option\n");
    return 2;
  }
  if (!process.root()) {
    process.err("dpkg: error: requested operation requires superuser privilege\n");
    return 2;
  }
  int status = 0;
  for (const std::string& name : options->operands)
    status = std::max(status, remove_package(process, *packages, name));
  return write_database(process, *packages) ? status : 2;
}

int dpkg_query(Process& process) {
  const std::optional<Options> options = parse_options(
      process,
      {.flags = "W", .valued = "f", .long_flags = {"show"}, .long_valued = {"showformat"}});
  if (!options) return 2;
  if (!options->has("W") && !options->has("show")) {
    process.err("dpkg-query: error: need an action option\n");
    return 2;
  }
  const std::optional<DpkgPackages> packages = database(process);
  if (!packages) return 2;
  std::string format =
      options->value("showformat", options->value("f", "${binary:Package}\\t${Version}\\n"));
  if (format.starts_with('=')) format.erase(0, 1);  // -f=FORMAT is taken as -f FORMAT
  int status = 0;
  for (const std::string& name : options->operands) {
    if (packages->contains(name)) continue;
    status = 1;
    process.err(fmt::format("dpkg-query: no packages found matching {}\n", name));
  }
  for (const auto& [name, package] : *packages) {
    const std::vector<std::string>& only = options->operands;
    if (only.empty() || std::ranges::find(only, name) != only.end())
      process.out(formatted(format, name, package));
  }
  return status;
}

int apt_get(Process& process) {
  std::optional<Options> options = parse_options(
      process,
      {.flags = "qy",
       .valued = "o",
       .long_flags = {"yes", "quiet", "no-install-recommends", "no-remove", "no-upgrade"}});
  if (!options) return kAptFailed;
  return AptGet{process, *std::move(options)}.run();
}

// show NAME...
int apt_cache(Process& process) {
  const std::optional<Options> options = parse_options(process, {.flags = "q"});
  if (!options) return kAptFailed;
  if (options->operands.empty() || options->operands.front() != "show")
    return error(process, kAptFailed, "Invalid operation");
  const std::vector<std::string> index = read_apt_index(process.files());
  const DpkgPackages installed = read_dpkg_status(process.files()).value_or(DpkgPackages{});
  bool found = false;
  for (std::size_t i = 1; i < options->operands.size(); ++i) {
    const std::string& name = options->operands[i];
    const bool known = installed.contains(name) || std::ranges::find(index, name) != index.end();
    found = found || known;
    if (known) {
      process.out(fmt::format("Package: {}\n\n", name));
    } else {
      process.err(fmt::format("N: Unable to locate package {}\n", name));
    }
  }
  return found ? 0 : error(process, kAptFailed, "No packages found");
}

}  // namespace fabric::lab::commands
