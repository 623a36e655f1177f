// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/interface/link_observer.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/model/resource_keys.hpp"
#include "engine/provider/diagnose.hpp"
#include "engine/provider/orphan.hpp"
#include "engine/provider/statements.hpp"
#include "providers/linux/kinds/adapter/inventory.hpp"
#include "providers/linux/kinds/interface/adoption.hpp"
#include "providers/linux/kinds/interface/bond_health.hpp"
#include "providers/linux/kinds/interface/bound.hpp"
#include "providers/linux/kinds/interface/generated_files.hpp"
#include "providers/linux/kinds/interface/given_name.hpp"
#include "providers/linux/kinds/interface/link_statements.hpp"
#include "providers/linux/kinds/interface/live_claims.hpp"
#include "providers/parsers/proc_bonding.hpp"

namespace fabric::providers {

namespace {

constexpr std::string_view kRoce = "roce";

// Which attributes the files of this back end hold of this kind of resource.
bool has_persistent_layer(
    const LinkTarget& target, const NetworkBackend& backend, std::string_view attribute) {
  if (attribute == kRoce) return false;
  const Membership membership = backend.membership();
  if (attribute == "master") return membership.in_slave;
  if (attribute == "slaves" && target.kind == LinkKind::bond) return membership.in_bond;
  return true;
}

Reading reading_of(
    const std::map<std::string, Reading, std::less<>>& readings, const std::string& attribute) {
  const auto found = readings.find(attribute);
  return found == readings.end() ? Reading::absent() : found->second;
}

// An attribute that the document leaves to the back end or the kernel is right with any value.
Value without_choices(const Value& wanted, Value found) {
  const List* asked = wanted.as_list();
  const List* list = found.as_list();
  if (asked == nullptr || list == nullptr) return found;
  List routes;
  for (const Value& each : *list) {
    const auto same = std::find_if(asked->begin(), asked->end(), [&each](const Value& one) {
      const auto equal = [&](std::string_view key) {
        const Value* left = each.find(key);
        const Value* right = one.find(key);
        return left == nullptr || right == nullptr ? left == right : *left == *right;
      };
      return equal("to") && equal("via") && equal("hops") && equal("table");
    });
    Map route = each.as_map() == nullptr ? Map{} : *each.as_map();
    for (const char* key : {"metric", "source"}) {
      const bool left_open = same == asked->end() || same->find(key) == nullptr;
      if (left_open) route.erase(key);
    }
    routes.emplace_back(std::move(route));
  }
  return Value{std::move(routes)};
}

// In the document's words where it is the same: the order of slaves and routes, and which slave is
// the primary one.
Reading in_its_words(
    const LinkTarget& target, std::string_view attribute, const Value& wanted, Reading reading) {
  if (reading.value() == nullptr) return reading;
  if (attribute == "primary") {
    const bool same =
        interface_of(target, to_text(wanted)) == interface_of(target, to_text(*reading.value()));
    return same ? Reading::of(wanted) : reading;
  }
  Value found = *reading.value();
  if (attribute == "routes") found = without_choices(wanted, std::move(found));
  return Reading::of(in_order_of(wanted, std::move(found)));
}

// The document has it installed, and the resource waits for that.
bool brings_ifenslave(const Resource& resource) {
  return std::any_of(resource.after.begin(), resource.after.end(), [](const auto& each) {
    return each.kind == kinds::kPackage && each.name == "ifenslave";
  });
}

// Where the document asks for it; else where it asks for the resource.
SourceRange range_of(const Resource& resource, std::string_view feature) {
  const auto found = std::find_if(
      resource.features.begin(), resource.features.end(), [feature](const Feature& each) {
        return each.name == feature;
      });
  return found == resource.features.end() ? resource.origin : found->range;
}

// What an interface of a bond says about itself and what decides nothing here.
bool only_runs(std::string_view attribute) {
  return attribute == kRoce;
}

}  // namespace

LinkObserver::LinkObserver(const NodeFacts& facts, Diagnostics& diagnostics)
    : facts_{facts},
      diagnostics_{diagnostics},
      cards_{inventory_of(facts)},
      links_{running_links(facts)},
      files_{network_files(facts)},
      digests_{file_digests(facts)} {}

Observation LinkObserver::observe(const Resource& resource) {
  FoundLink link = find_link(resource, cards_, links_);
  give_names(link, resource, facts_);
  reported_foreign_ = false;
  takes_over_ = false;
  RunningAttributes running;
  Attributes files;
  if (link.why.empty()) {
    running = running_attributes(facts_, links_, link.device, link.target);
    files = persistent(resource, link);
    report_bond(resource, link);
    report_live(resource, link);
  }
  Observation observation{resource.address, {}};
  for (const auto& [attribute, desired] : resource.desired) {
    LayeredReading& reading = observation.attributes[attribute];
    if (!link.why.empty()) {
      reading.running = Reading::unknown(link.why);
      if (!only_runs(attribute)) reading.persistent = Reading::unknown(link.why);
      continue;
    }
    reading.running =
        in_its_words(link.target, attribute, desired.value, reading_of(running, attribute));
    if (attribute == "source_table" && reading.running->is_unknown()) reading.running.reset();
    if (const auto found = files.find(attribute); found != files.end() && found->second)
      reading.persistent = in_its_words(link.target, attribute, desired.value, *found->second);
    // A foreign file says it, or a boot would not make it: it ends with the adoption.
    if (takes_over_ && desired.value.is_null() && reading.running->is_known())
      reading.persistent = reading.running;
  }
  return observation;
}

LinkObserver::Attributes LinkObserver::persistent(const Resource& resource, const FoundLink& link) {
  const LinkTarget& target = link.target;
  const BackendChoice choice =
      choose_backend(facts_, bound_text(resource, keys::kBackend), link.port->netdev);
  if (choice.backend == nullptr) return without_backend(resource);
  const NetworkBackend& backend = *choice.backend;
  // Of what goes away nothing will be written.
  const LinkConfig wanted = is_orphan(resource) ? LinkConfig{} : config_of(resource, target);
  if (routes_transit(wanted) && !backend.can_route_transit())
    return without_transit(resource, backend);
  if (!choice.lacks.empty() && !is_orphan(resource)) return without_program(resource, choice);
  const std::string obstacle = backend.obstacle(target, wanted);
  if (!obstacle.empty()) {
    report_obstacle(resource, obstacle);
    Attributes unknown;
    for (const auto& [attribute, desired] : resource.desired)
      if (!only_runs(attribute)) unknown.emplace(attribute, Reading::unknown(obstacle));
    return unknown;
  }
  const bool misses =
      target.kind == LinkKind::bond && !choice.bonds_need.empty() && !brings_ifenslave(resource);
  if (misses && !reported_package_) {
    reported_package_ = true;
    report_finding(
        diagnostics_,
        resource,
        "package-missing",
        fmt::format("{}: {}", facts_.node.str(), choice.bonds_need))
        .with_help("let fabric install it: packages: [ifenslave]");
  }
  // A resource that goes away can't conflict with foreign configuration.
  if (is_orphan(resource)) return read_files(resource, target, backend, false);
  report_unused(resource, backend, target);
  const bool takes = judge_foreign(resource, backend, link);
  return read_files(resource, target, backend, takes);
}

// The values in files of fabric. Configuration that is to be taken over blocks them, whatever it
// says; so do files of fabric for the back end that the node used before.
Map LinkObserver::values_in_files(
    const Resource& resource,
    const LinkTarget& target,
    const NetworkBackend& backend,
    bool adopts) const {
  if (adopts) return {};
  const std::vector<FormerFile> former = former_files(backend, target, files_);
  if (is_orphan(resource)) {
    const auto left = former.empty() ? backend.read(target, files_)
                                     : former.front().backend->read(target, files_);
    return left ? attributes_of(*left, target) : Map{};
  }
  if (!former.empty() || !is_name_given(target, files_)) return {};
  if (const auto whole = backend.read(target, files_)) return attributes_of(*whole, target);
  // Only some of several files are there. A file with the wanted text is from a write that was cut
  // off, and lacks the others; a file with another text is foreign.
  const auto part = backend.read_part(target, files_);
  Map pieces = part ? attributes_of(*part, target) : Map{};
  for (const auto& [attribute, desired] : resource.desired) {
    const auto piece = pieces.find(attribute);
    if (piece == pieces.end()) continue;
    const Reading read = in_its_words(target, attribute, desired.value, Reading::of(piece->second));
    if (piece->second == Value{List{}} || read == Reading::of(desired.value)) pieces.erase(piece);
  }
  return pieces;
}

LinkObserver::Attributes LinkObserver::read_files(
    const Resource& resource,
    const LinkTarget& target,
    const NetworkBackend& backend,
    bool adopts) const {
  std::string not_ours;
  for (const std::string& path : backend.paths(target)) {
    const auto file = files_.find(path);
    if (file != files_.end() && !backend.owns(file->second)) not_ours = path;
  }
  const Map values = values_in_files(resource, target, backend, adopts);
  Attributes attributes;
  for (const auto& [attribute, desired] : resource.desired) {
    std::optional<Reading>& reading = attributes[attribute];
    if (!has_persistent_layer(target, backend, attribute)) continue;
    const auto value = values.find(attribute);
    if (!not_ours.empty() && is_orphan(resource)) {
      // Given back to its former owner: fabric has no part in it.
      reading = Reading::absent();
    } else if (!not_ours.empty() && !adopts) {
      reading = Reading::unknown(not_ours + " is not fabric's");
    } else {
      const bool nothing =
          value == values.end() || (desired.value.is_null() && value->second == Value{List{}});
      reading = nothing ? Reading::absent() : Reading::of(value->second);
    }
  }
  return attributes;
}

LinkObserver::Attributes LinkObserver::without_backend(const Resource& resource) {
  const char* why = "no known network configuration was found";
  if (!reported_backend_) {
    reported_backend_ = true;
    report_finding(
        diagnostics_,
        resource,
        "network-backend-unknown",
        fmt::format("{}: {}", facts_.node.str(), why))
        .with_help("say which one the node uses: network_backend");
  }
  Attributes unknown;
  for (const auto& [attribute, desired] : resource.desired)
    if (!only_runs(attribute)) unknown.emplace(attribute, Reading::unknown(why));
  return unknown;
}

LinkObserver::Attributes LinkObserver::without_program(
    const Resource& resource, const BackendChoice& choice) {
  const std::string wanted = bound_text(resource, keys::kBackend);
  const std::string why = fmt::format("{} is not there: {}", wanted, choice.lacks);
  if (!reported_backend_) {
    reported_backend_ = true;
    const std::string found =
        choice.instead.empty() ? "no other configuration" : std::string{choice.instead};
    report_finding_at(
        diagnostics_,
        resource,
        range_of(resource, "network_backend"),
        "network-backend-missing",
        fmt::format(
            "{} is not on {}: {}; found {}", wanted, facts_.node.str(), choice.lacks, found))
        .with_help(
            choice.instead.empty() ? fmt::format("install {0} on the node, and let {0} run", wanted)
                                   : fmt::format(
                                         "use the present one, `network_backend: {}` or `auto`, or "
                                         "install {} on the node first",
                                         choice.instead,
                                         wanted));
  }
  Attributes unknown;
  for (const auto& [attribute, desired] : resource.desired)
    if (!only_runs(attribute)) unknown.emplace(attribute, Reading::unknown(why));
  return unknown;
}

LinkObserver::Attributes LinkObserver::without_transit(
    const Resource& resource, const NetworkBackend& backend) {
  const std::string why = fmt::format("{} has no `transit: static`", backend.name());
  if (!reported_transit_) {
    reported_transit_ = true;
    report_finding_at(
        diagnostics_,
        resource,
        resource.desired.at("incoming_table").source,
        "transit-backend-unsupported",
        fmt::format(
            "{}: {} configures its interfaces, and fabric writes no `transit: static` for that",
            facts_.node.str(),
            backend.name()))
        .with_help("use networkd, ifupdown or ifupdown2 on the node: network_backend");
  }
  Attributes unknown;
  for (const auto& [attribute, desired] : resource.desired)
    unknown.emplace(attribute, Reading::unknown(why));
  return unknown;
}

void LinkObserver::report_obstacle(const Resource& resource, const std::string& obstacle) {
  const std::string adapter = bound_text(resource, keys::kAdapter);
  Diagnostic& finding = report_finding(
      diagnostics_,
      resource,
      "interface-name-unknown",
      fmt::format(
          "{}: {} {}: {}",
          facts_.node.str(),
          resource.address.kind,
          resource.address.name,
          obstacle));
  // A line to paste; an interface of such a name is no other card's.
  const auto port = resource.binding.find(keys::kPort);
  if (adapter.empty() || port == resource.binding.end()) return;
  constexpr std::size_t kLongest = 12;  // and a port, within the 15 characters of a name
  const std::string number = to_text(port->second);
  finding.with_help(fmt::format(
      "name it at the adapter: `{}: {{names: {{{}: {}p{}}}}}`",
      adapter,
      number,
      adapter.substr(0, kLongest),
      number));
}

namespace {

Generator generator_in(const ForeignEntry& entry, const FileTexts& files) {
  const std::string* content = text_at(files, entry.path);
  return generator_of(entry.path, content == nullptr ? std::string_view{} : *content);
}

}  // namespace

bool LinkObserver::judge_foreign(
    const Resource& resource, const NetworkBackend& backend, const FoundLink& link) {
  const LinkTarget& target = link.target;
  std::vector<ForeignEntry> entries = backend.foreign(target, files_);
  for (ForeignEntry& entry : entries) {
    const Generator generator = generator_in(entry, files_);
    if (generator.known()) entry.not_adoptable = fmt::format("{} makes it anew", generator.name);
  }
  reported_foreign_ = !entries.empty();
  const bool wants = adopts(resource);
  if (wants && adoption_obstacle(entries, digests_).empty()) {
    report_would_lose(
        diagnostics_,
        resource,
        target.name.empty() ? resource.address.name.str() : target.name,
        would_be_lost(resource, link_statements(resource, link, backend, entries, facts_)));
    takes_over_ = !entries.empty() || !has_file_of_ours(resource, files_);
    return !entries.empty();
  }
  for (const ForeignEntry& entry : entries) {
    const std::string why = adoption_obstacle(entry, digests_);
    if (wants && why.empty()) continue;
    const Generator generator = generator_in(entry, files_);
    Diagnostic& finding = report_finding(
        diagnostics_,
        resource,
        "foreign-configuration",
        fmt::format(
            "{}: {}:{} configures {} already, and fabric did not write it{}",
            facts_.node.str(),
            entry.path,
            entry.line,
            target.name.empty() ? resource.address.name.str() : target.name,
            wants || generator.known() ? "; it can't be taken over: " + why : ""));
    if (generator.known()) {
      finding.with_help(std::string{generator.told});
      continue;
    }
    finding.with_help(
        wants || !entry.not_adoptable.empty() || entry.path.starts_with("/run/")
            ? "change the file by hand on the node"
            : "remove the configuration on the node, or let fabric take it over: adopt: true");
  }
  return false;
}

// Files that name the port were reported by now.
void LinkObserver::report_live(const Resource& resource, const FoundLink& link) {
  if (is_orphan(resource) || adopts(resource) || reported_foreign_) return;
  const std::string claims = live_claims(resource, link, links_, facts_, files_);
  if (claims.empty()) return;
  report_finding(
      diagnostics_,
      resource,
      "foreign-configuration",
      fmt::format("{}: {}, which no file of the node explains", facts_.node.str(), claims))
      .with_help("take it out by hand, or let fabric take it over: adopt: true");
}

void LinkObserver::report_unused(
    const Resource& resource, const NetworkBackend& backend, const LinkTarget& target) {
  const std::string unused = backend.not_in_use(target, files_);
  if (unused.empty() || reported_unused_) return;
  reported_unused_ = true;
  report_finding(
      diagnostics_,
      resource,
      "foreign-configuration",
      fmt::format("{}: {}", facts_.node.str(), unused))
      .with_help("add the line: source /etc/network/interfaces.d/fabric-*");
}

// A bond can be exactly as it was asked for and still not work: that no plan can mend, so it is
// said and blocks nothing.
void LinkObserver::report_bond(const Resource& resource, const FoundLink& link) {
  if (link.target.kind != LinkKind::bond || link.device.empty()) return;
  const std::string text = links_.proc_bonding(link.device);
  if (text.empty()) return;
  const Result<ProcBonding> bond = parse_proc_bonding(text);
  if (!bond) return;
  for (const BondAilment& ailment : bond_ailments(*bond)) {
    diagnostics_
        .warning(
            "bond-not-aggregated",
            resource.origin,
            fmt::format("{}: {}: {}", facts_.node.str(), link.device, ailment.text))
        .with_fault({ailment.fault, {facts_.node, link.device}, {}});
  }
}

}  // namespace fabric::providers
