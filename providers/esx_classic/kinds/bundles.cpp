// SPDX-License-Identifier: Apache-2.0
#include "providers/esx_classic/kinds/bundles.hpp"

#include <algorithm>
#include <array>

#include "engine/base/text.hpp"
#include "providers/esx/answer.hpp"
#include "providers/esx_classic/kinds/sh/scripts.hpp"
#include "providers/esx_classic/parsers/esxcfg_lists.hpp"

namespace fabric::providers::esx_classic {

namespace {

constexpr const char* kInstalledProbe = "esx-bulletins";
constexpr const char* kPackagesProbe = "esx-packages";
constexpr const char* kFilesProbe = "esx-bundle-files";
constexpr std::string_view kFile = "== file ";
constexpr std::array<std::string_view, 3> kDrivers{"mlx4_en", "ib_basic", "ib_ulp"};

bool is_package(std::string_view file) {
  return file.ends_with(".rpm");
}

// "ib_ulp" of "ib_ulp-1.4.1.zip"; of another driver the whole name without its ending.
std::string driver_of(std::string_view file) {
  for (const std::string_view driver : kDrivers) {
    if (file.find(driver) != std::string_view::npos) return std::string{driver};
  }
  return std::string{file.substr(0, file.rfind('.'))};
}

// For each file: "ID            - mlx4_en-1.4.1" of a bundle, a bare name of a package.
std::map<std::string, std::vector<std::string>> ids_by_file(std::string_view output) {
  std::map<std::string, std::vector<std::string>> ids;
  std::string file;
  for (const std::string_view each : split_lines(output)) {
    const std::string_view line = trim(each);
    if (line.starts_with(kFile)) {
      file = trim(line.substr(kFile.size()));
      ids[file];
      continue;
    }
    const std::vector<std::string_view> words = split_words(line);
    if (file.empty() || words.empty()) continue;
    if (words.size() == 3 && words[0] == "ID" && words[1] == "-") ids[file].emplace_back(words[2]);
    if (words.size() == 1 && is_package(file)) ids[file].emplace_back(words[0]);
  }
  return ids;
}

// The ids of bulletins, or names of packages, in the host's list.
Result<std::vector<std::string>> installed_of(const NodeFacts& facts, bool packages) {
  std::vector<std::string> ids;
  if (packages) {
    const std::string_view text = FABRIC_TRY(esxi::answer(facts, kPackagesProbe));
    for (const std::string_view line : split_lines(text))
      ids.emplace_back(trim(line));
    return ids;
  }
  const std::string_view text = FABRIC_TRY(esxi::answer(facts, kInstalledProbe));
  const std::vector<EsxBulletin> bulletins = FABRIC_TRY(parse_esxupdate_query(text));
  for (const EsxBulletin& bulletin : bulletins)
    ids.push_back(bulletin.id);
  return ids;
}

bool has(const std::vector<std::string>& ids, const std::string& id) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

}  // namespace

bool Bundle::is_in_place() const {
  if (ids.empty()) return !installed.empty();
  return std::ranges::all_of(ids, [this](const std::string& id) { return has(installed, id); });
}

// The ids are read from the file, because its name tells nothing reliable.
std::vector<Probe> bundle_probes() {
  return {
      {kInstalledProbe, "esxupdate query\n"},
      {kPackagesProbe, "rpm -qa\n"},
      {kFilesProbe, std::string{sh::probe_esx_bundle_files.text}}};
}

std::map<std::string, std::vector<std::string>> bundle_files(const NodeFacts& facts) {
  const Result<std::string_view> text = esxi::answer(facts, kFilesProbe);
  return text ? ids_by_file(*text) : std::map<std::string, std::vector<std::string>>{};
}

std::vector<std::string> installed_ids(const NodeFacts& facts) {
  std::vector<std::string> ids;
  for (const bool packages : {false, true}) {
    const Result<std::vector<std::string>> more = installed_of(facts, packages);
    if (more) ids.insert(ids.end(), more->begin(), more->end());
  }
  return ids;
}

Result<std::vector<Bundle>> bundles_of(
    const NodeFacts& facts, const std::vector<std::string>& files) {
  const auto ids = ids_by_file(FABRIC_TRY(esxi::answer(facts, kFilesProbe)));
  std::vector<Bundle> bundles;
  for (const std::string& file : files) {
    Bundle bundle{file, {}, {}};
    const auto known = ids.find(file);
    if (known != ids.end()) bundle.ids = known->second;
    const std::string driver = driver_of(file);
    const std::vector<std::string> all = FABRIC_TRY(installed_of(facts, is_package(file)));
    for (const std::string& id : all) {
      if (id.find(driver) != std::string::npos || has(bundle.ids, id))
        bundle.installed.push_back(id);
    }
    bundles.push_back(std::move(bundle));
  }
  return bundles;
}

std::vector<BundleStep> steps_for(const std::vector<Bundle>& bundles) {
  const auto first =
      std::ranges::find_if(bundles, [](const Bundle& bundle) { return !bundle.is_in_place(); });
  std::vector<BundleStep> steps;
  const auto place = static_cast<std::size_t>(first - bundles.begin());
  for (std::size_t at = bundles.size(); at-- > place;) {
    for (const std::string& id : bundles[at].installed)
      steps.push_back({true, bundles[at].file, {id}});
  }
  for (std::size_t at = place; at < bundles.size(); ++at)
    steps.push_back({false, bundles[at].file, bundles[at].ids});
  return steps;
}

remote::Argv command_of(const BundleStep& step) {
  const char* package = is_package(step.file) ? "yes" : "no";
  if (step.removes)
    return {"sh", "-c", sh::esx_bundle_remove, "fabric-bundle", package, step.ids.front()};
  // The vendor's own Ethernet driver is not signed by VMware (E-esx-bundles).
  const bool unsigned_driver = step.file.find(kDrivers.front()) != std::string::npos;
  remote::Argv argv{
      "sh",
      "-c",
      sh::esx_bundle_install,
      "fabric-bundle",
      package,
      step.file,
      unsigned_driver ? "--nosigcheck" : ""};
  argv.insert(argv.end(), step.ids.begin(), step.ids.end());
  return argv;
}

}  // namespace fabric::providers::esx_classic
