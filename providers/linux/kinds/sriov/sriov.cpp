// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <fnmatch.h>

#include "engine/base/text.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/platform/facts.hpp"
#include "engine/platform/owned_file.hpp"
#include "engine/platform/probe.hpp"
#include "engine/provider/action_methods.hpp"
#include "engine/provider/diagnose.hpp"
#include "providers/cards/card.hpp"
#include "providers/cards/find_card.hpp"
#include "providers/linux/kinds/adapter/inventory.hpp"
#include "providers/linux/kinds/interface/backends/keyfile_profile.hpp"
#include "providers/linux/kinds/interface/backends/networkd_match.hpp"
#include "providers/linux/kinds/rows.hpp"
#include "providers/linux/kinds/sh/scripts.hpp"
#include "providers/linux/kinds/sriov/virtual_functions.hpp"

namespace fabric::providers {

namespace {

// Other makers of virtual functions of a card at a boot: files of network services, and foreign
// rules, units and scripts. Two owners would undo each other.

struct FunctionOwner {
  std::string path;
  std::size_t line = 1;
  std::string text;      // of the line
  std::string function;  // the PCI address of the port's function
  std::uint32_t port = 1;
  bool of_interface = false;  // part of the interface's configuration
};

constexpr const char* kOwnersProbe = "sriov-owners";

struct Line {
  std::size_t number = 1;
  std::string text;
  bool of_interface = false;  // from the stanza of the port's interface
};
using Lines = std::vector<Line>;

std::map<std::string, Lines> lines_by_file(std::string_view output) {
  std::map<std::string, Lines> files;
  for (const std::string_view line : split_lines(output)) {
    const std::size_t name = line.find(':');
    const std::size_t number = name == std::string_view::npos ? name : line.find(':', name + 1);
    if (number == std::string_view::npos || !line.starts_with('/')) continue;
    const auto at = parse_unsigned(line.substr(name + 1, number - name - 1), 10);
    if (!at || *at == 0) continue;
    files[std::string{line.substr(0, name)}].push_back(
        {static_cast<std::size_t>(*at), std::string{line.substr(number + 1)}});
  }
  return files;
}

bool is_comment(std::string_view text) {
  const std::string_view words = trim(text);
  return words.empty() || words.front() == '#' || words.front() == ';';
}

LinkTarget target_of(const NodeFacts& facts, const Card& card, const AdapterPort& port) {
  LinkTarget target{ResourceAddress{facts.node, kinds::kSriov, card.address.str()}};
  target.kind = LinkKind::port;
  target.name = port.netdev;
  target.card = &card;
  target.port = &port;
  return target;
}

// The file as it is, with its lines where they are.
std::string whole(const Lines& lines) {
  std::string text;
  std::size_t next = 1;
  for (const Line& line : lines) {
    for (; next < line.number; ++next)
      text += '\n';
    text += line.text + "\n";
    ++next;
  }
  return text;
}

// The line of the first of the keys that has a value.
std::optional<Line> with_key(const Lines& lines, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    for (const Line& line : lines) {
      const std::string_view text = trim(line.text);
      if (text.starts_with(key) && trim(text.substr(key.size())).starts_with('=')) return line;
    }
  }
  return std::nullopt;
}

// A .link knows an interface by the name that the kernel gave it.
std::optional<Line> by_networkd(const Lines& lines, const LinkTarget& target) {
  const auto says = with_key(lines, {"SR-IOVVirtualFunctions", "VirtualFunction"});
  if (!says) return std::nullopt;
  Lines renamed = lines;
  for (Line& line : renamed) {
    constexpr std::string_view kKernels = "OriginalName";
    if (trim(line.text).starts_with(kKernels))
      line.text = std::string{trim(line.text).substr(std::string_view{"Original"}.size())};
  }
  return judge_match(target, whole(renamed)).matches ? says : std::nullopt;
}

std::optional<Line> by_keyfile(const Lines& lines, const LinkTarget& target) {
  const auto says = with_key(lines, {"total-vfs"});
  if (!says) return std::nullopt;
  const KeyfileProfile profile = keyfile_profile(whole(lines));
  const bool is_meant = profile.interface.empty() ? means_port(profile, target).fits
                                                  : profile.interface == target.name;
  return is_meant ? says : std::nullopt;
}

std::size_t indent_of(std::string_view text) {
  return std::min(text.find_first_not_of(" \t"), text.size());
}

std::string_view value_behind(std::string_view text, std::string_view key) {
  std::string_view value = trim(trim(text).substr(key.size()));
  if (value.size() > 1 && (value.front() == '"' || value.front() == '\'')) {
    value.remove_prefix(1);
    value.remove_suffix(1);
  }
  return value;
}

// The block of an interface: its name, with what its `match` says.
struct NetplanBlock {
  std::string id, name, mac;
  bool unread = false;  // `match` on one line: it may be any port

  bool means(const LinkTarget& target) const {
    if (unread) return true;
    if (!mac.empty()) {
      const Result<MacAddress> address = MacAddress::parse(mac);
      const AdapterPort& port = *target.port;
      return address && (port.mac == *address || port.permanent_mac == *address);
    }
    const std::string& pattern = name.empty() ? id : name;
    return fnmatch(pattern.c_str(), target.name.c_str(), 0) == 0;
  }
};

std::optional<Line> by_netplan(const Lines& lines, const LinkTarget& target) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view text = trim(lines[i].text);
    if (text.find("virtual-function-count") == std::string_view::npos || is_comment(text)) continue;
    if (!text.starts_with("virtual-function-count")) {
      // On one line with its interface.
      const bool is_meant = text.find("match") != std::string_view::npos ||
                            text.find(target.name) != std::string_view::npos;
      if (is_meant) return lines[i];
      continue;
    }
    const std::size_t inner = indent_of(lines[i].text);
    NetplanBlock block;
    std::size_t first = i;
    while (first > 0 && indent_of(lines[first].text) >= inner)
      --first;
    block.id = std::string{trim(lines[first].text)};
    if (block.id.ends_with(':')) block.id.pop_back();
    std::erase_if(block.id, [](char c) { return c == '"' || c == '\''; });
    for (std::size_t n = first + 1; n < lines.size() && indent_of(lines[n].text) >= inner; ++n) {
      const std::string_view each = trim(lines[n].text);
      block.unread = block.unread || each.starts_with("match: {");
      if (each.starts_with("macaddress:")) block.mac = value_behind(each, "macaddress:");
      if (each.starts_with("name:")) block.name = value_behind(each, "name:");
    }
    if (block.means(target)) return lines[i];
  }
  return std::nullopt;
}

// "enp1s0f0np0" in "/sys/class/net/enp1s0f0np0/device/sriov_numvfs"; "" for another form.
std::string_view between(std::string_view text, std::string_view begin, char end) {
  const std::size_t from = text.find(begin);
  if (from == std::string_view::npos) return {};
  const std::string_view rest = text.substr(from + begin.size());
  return rest.substr(0, rest.find(end));
}

bool is_pattern(std::string_view name) {
  return name.find_first_of("$*?[{%") != std::string_view::npos;
}

bool fits(std::string_view pattern, const std::string& text) {
  return fnmatch(std::string{pattern}.c_str(), text.c_str(), 0) == 0;
}

// Text of a shell, of a rule of udev's, or of sysfs.d. `stanza`: the interface that $IFACE is.
bool is_about(std::string_view text, std::string_view stanza, const LinkTarget& target) {
  const std::string function = target.port->function.str();
  if (text.find(function) != std::string_view::npos) return true;
  for (const auto& [begin, end, mine] :
       {std::tuple{"class/net/", '/', &target.name},
        std::tuple{"KERNEL==\"", '"', &target.name},
        std::tuple{"NAME==\"", '"', &target.name},
        std::tuple{"pci/devices/", '/', &function},
        std::tuple{"KERNELS==\"", '"', &function},
        std::tuple{"PCI_SLOT_NAME}==\"", '"', &function}}) {
    const std::string_view named = between(text, begin, end);
    if (named.empty()) continue;
    if (named.find("IFACE") != std::string_view::npos && !stanza.empty())
      return stanza == target.name;
    if (named.find('$') != std::string_view::npos) return true;
    return is_pattern(named) ? fits(named, *mine) : named == *mine;
  }
  return true;
}

std::optional<Line> by_text(const Lines& lines, const LinkTarget& target) {
  std::string stanza;
  for (const Line& line : lines) {
    if (is_comment(line.text)) continue;
    const std::vector<std::string_view> words = split_words(line.text);
    if (words.size() > 1 && words[0] == "iface") {
      stanza = words[1];
      continue;
    }
    if (is_about(line.text, stanza, target))
      return Line{line.number, line.text, stanza == target.name};
  }
  return std::nullopt;
}

// "0000:01:00.0 8", or an interface in place of the address.
std::optional<Line> by_table(const Lines& lines, const LinkTarget& target) {
  for (const Line& line : lines) {
    const std::vector<std::string_view> words = split_words(line.text);
    if (words.empty() || is_comment(line.text)) continue;
    if (words[0] == target.port->function.str() || words[0] == target.name) return line;
  }
  return std::nullopt;
}

std::optional<Line> by_module(const Lines& lines, const LinkTarget& target) {
  for (const Line& line : lines) {
    const std::vector<std::string_view> words = split_words(line.text);
    if (words.size() > 1 && words[0] == "options" && words[1] == target.card->driver) return line;
  }
  return std::nullopt;
}

std::optional<Line> owning_line(
    const std::string& path, const Lines& lines, const LinkTarget& target) {
  if (path.find("/systemd/network/") != std::string::npos) return by_networkd(lines, target);
  if (path.find("/system-connections/") != std::string::npos) return by_keyfile(lines, target);
  if (path.find("/netplan/") != std::string::npos) return by_netplan(lines, target);
  if (path.find("/modprobe.d/") != std::string::npos) return by_module(lines, target);
  if (path.starts_with("/etc/rdma/")) return by_table(lines, target);
  return by_text(lines, target);
}

Probe function_owners_probe() {
  return {kOwnersProbe, std::string{sh::probe_sriov_owners.text}};
}

// The first line of each file that is about a port of the card, or may be: a pattern or a variable
// in it may mean any port.
std::vector<FunctionOwner> function_owners(const Card& card, const NodeFacts& facts) {
  const std::string* output = facts.output(kOwnersProbe);
  std::vector<FunctionOwner> owners;
  if (output == nullptr) return owners;
  for (const auto& [path, lines] : lines_by_file(*output)) {
    const bool ours = std::ranges::any_of(lines, [](const Line& line) {
      return line.number == 1 && line.text.starts_with("# managed by fabric");
    });
    if (ours) continue;
    for (const AdapterPort& port : card.ports) {
      const auto line = owning_line(path, lines, target_of(facts, card, port));
      if (!line) continue;
      const bool of_service =
          path.starts_with("/etc/") &&
          (path.ends_with(".network") || path.find("/system-connections/") != std::string::npos ||
           path.find("/netplan/") != std::string::npos);
      owners.push_back(
          {path,
           line->number,
           std::string{trim(line->text)},
           port.function.str(),
           port.number,
           of_service || line->of_interface});
      break;
    }
  }
  return owners;
}

constexpr const char* kVfs = "vfs";
constexpr std::string_view kFilesProbe = "sriov-files";
// The kernel refuses another number while there are virtual functions (EBUSY).
constexpr const char* kSetNumber =
    R"sh([ "$(cat "$1")" = "$2" ] || { echo 0 >"$1" && echo "$2" >"$1"; })sh";

std::string rules_path(const ResourceAddress& address) {
  return fmt::format("/etc/udev/rules.d/71-fabric-sriov-{}.rules", address.name);
}

std::string number_path(const AdapterPort& port) {
  return fmt::format("/sys/bus/pci/devices/{}/sriov_numvfs", port.function.str());
}

// The driver that can make them is loaded with the network interface or, on a port that has none,
// with the RDMA device.
std::string rules(const Card& card, std::string_view number) {
  std::string text;
  for (const AdapterPort& port : card.ports) {
    for (const std::string_view subsystem : {"net", "infiniband"}) {
      text += fmt::format(
          "ACTION==\"add\", SUBSYSTEM==\"{}\", KERNELS==\"{}\", "
          "ATTR{{device/sriov_numvfs}}=\"{}\"\n",
          subsystem,
          port.function.str(),
          number);
    }
  }
  return text;
}

std::string without_comments(std::string_view content) {
  std::string kept;
  for (const std::string_view line : split_lines(content)) {
    if (!line.starts_with('#')) kept += std::string{line} + "\n";
  }
  return kept;
}

Reading running_number(const Card& card) {
  std::optional<std::int64_t> number;
  for (const AdapterPort& port : card.ports) {
    if (!port.sriov_vfs) return Reading::absent();
    if (number && *number != *port.sriov_vfs)
      return Reading::of(fmt::format("{} and {}", *number, *port.sriov_vfs));
    number = port.sriov_vfs;
  }
  return number ? Reading::of(*number) : Reading::absent();
}

Reading file_number(const FileTexts& files, const Card& card, const Resource& resource) {
  const auto file = files.find(rules_path(resource.address));
  if (file == files.end()) return Reading::absent();
  if (!is_owned(file->second)) return Reading::unknown(file->first + " is not fabric's");
  const std::string content = without_comments(file->second);
  const std::size_t end = content.rfind('"');
  const std::size_t begin =
      end == std::string::npos || end == 0 ? end : content.rfind('"', end - 1);
  if (begin == std::string::npos) return Reading::absent();
  const std::string number = content.substr(begin + 1, end - begin - 1);
  const auto value = parse_integer(number);
  return value && content == rules(card, number) ? Reading::of(*value) : Reading::absent();
}

std::optional<std::int64_t> most(const Card& card) {
  std::optional<std::int64_t> most;
  for (const AdapterPort& port : card.ports) {
    const std::int64_t here = port.sriov_total.value_or(0);
    most = std::min(most.value_or(here), here);
  }
  return most;
}

// Another number removes functions that are in use: those that no file of fabric has made are
// foreign.
void report_used(
    const Resource& resource,
    const Card& card,
    const LayeredReading& reading,
    const NodeFacts& facts,
    Diagnostics& diagnostics) {
  const auto wanted = resource.desired.find(kVfs);
  if (wanted == resource.desired.end() || resource.binding.contains(keys::kAdopt)) return;
  if (reading.running == Reading::of(wanted->second.value)) return;
  for (const AdapterPort& port : card.ports) {
    if (makes_functions(facts, port.function)) continue;
    const std::vector<std::string> uses = used_functions(port, facts);
    if (uses.empty()) continue;
    report_finding(
        diagnostics,
        resource,
        "foreign-configuration",
        fmt::format(
            "{}: another number of virtual functions of {} would remove functions that are in use "
            "and that fabric did not make: {}",
            facts.node.str(),
            port.function.str(),
            join(uses, "; ")))
        .with_help(
            "ask for the present number, free the functions by hand, or let fabric remove them: "
            "adopt: true");
  }
}

bool is_taken_over(const Resource& resource, std::uint32_t port) {
  const List& ports = resource.bound_list(keys::kAdoptedPorts);
  return std::find(ports.begin(), ports.end(), Value{port}) != ports.end();
}

// Another owner that sets their number at a boot undoes fabric's, or is undone by it.
void report_owners(
    const Resource& resource, const Card& card, const NodeFacts& facts, Diagnostics& diagnostics) {
  if (resource.wanted(kVfs) == nullptr) return;
  for (const FunctionOwner& owner : function_owners(card, facts)) {
    // Configuration that is adopted with the interface is compared there.
    if (owner.of_interface && is_taken_over(resource, owner.port)) continue;
    report_finding(
        diagnostics,
        resource,
        "foreign-configuration",
        fmt::format(
            "{}: {}:{} sets up virtual functions of {} already, and fabric did not write it: {}",
            facts.node.str(),
            owner.path,
            owner.line,
            owner.function,
            owner.text))
        .with_help("remove the line by hand on the node, or leave `sriov` out of the document");
  }
}

class SriovWork {
 public:
  SriovWork(const Change& change, const WorkContext& context, const Card& card)
      : change_{change},
        context_{context},
        card_{card},
        attribute_{change.attributes.front()},
        number_{attribute_.desired.is_null() ? "0" : to_text(attribute_.desired)} {}

  Result<Work> plan() const {
    Work work;
    if (attribute_.write) work.actions.push_back(write_draft());
    if (!attribute_.activate || context_.reboot_planned) return work;
    const std::int64_t wanted = parse_integer(number_).value_or(0);
    if (wanted > most(card_).value_or(0)) {
      return impossible(
          change_.resource,
          fmt::format(
              "the card {} offers {} virtual functions a port until it boots with other "
              "settings",
              card_.address.str(),
              most(card_).value_or(0)));
    }
    work.actions.push_back(set_draft());
    return work;
  }

 private:
  bool removes() const { return attribute_.desired.is_null(); }

  ActionDraft write_draft() const {
    const std::string path = rules_path(change_.resource.address);
    ActionDraft draft;
    draft.kind = methods::kSriovWrite;
    draft.title = fmt::format("{} {}", removes() ? "remove" : "write", path);
    const std::string* former = text_at(function_rules(context_.facts), path);
    if (removes()) {
      remove_file(draft, path, former);
    } else {
      replace_file(draft, {path, owned_marker(change_.resource) + rules(card_, number_)}, former);
      draft.postconditions.push_back(condition(Layer::persistent));
    }
    return draft;
  }

  ActionDraft set_draft() const {
    ActionDraft draft;
    draft.kind = methods::kSriovSet;
    draft.title = fmt::format("make {} virtual functions a port of {}", number_, card_.text());
    draft.stage = Stage::activate;
    draft.disruption = attribute_.disruption;
    for (const AdapterPort& port : card_.ports) {
      draft.steps.run({"sh", "-c", kSetNumber, "fabric", number_path(port), number_});
      if (!port.sriov_vfs) continue;
      draft.undo.run(
          {"sh", "-c", kSetNumber, "fabric", number_path(port), std::to_string(*port.sriov_vfs)});
    }
    if (!removes()) draft.postconditions.push_back(condition(Layer::running));
    return draft;
  }

  Condition condition(Layer layer) const {
    return {change_.resource.address, kVfs, layer, attribute_.desired};
  }

  const Change& change_;
  const WorkContext& context_;
  const Card& card_;
  const AttributeChange& attribute_;
  std::string number_;
};

std::vector<Probe> probes_of_sriov() {
  return {
      pci_probe(),
      {std::string{kFilesProbe}, std::string{sh::probe_sriov_files.text}},
      function_owners_probe()};
}

bool sriov_supports(const Resource& resource, std::string_view feature) {
  return feature == kVfs && resource.bound_text(keys::kDriver) == "mlx5_core";
}

std::vector<Observation> observe_sriov(
    std::span<const Resource> wanted, const NodeFacts& facts, Diagnostics& diagnostics) {
  const std::vector<Card>& cards = inventory_of(facts);
  const FileTexts& files = function_rules(facts);
  return observe_each(wanted, [&](const Resource& resource, Observation& observation) {
    const FoundCard found = find_card(cards, resource.binding);
    LayeredReading reading{Reading::unknown(found.why), std::nullopt, Reading::unknown(found.why)};
    if (found.card != nullptr) {
      reading.running = running_number(*found.card);
      reading.persistent = file_number(files, *found.card, resource);
      report_used(resource, *found.card, reading, facts, diagnostics);
      report_owners(resource, *found.card, facts, diagnostics);
    }
    for (const auto& [attribute, desired] : resource.desired)
      observation.attributes.emplace(attribute, reading);
  });
}

std::vector<Resource> sriov_orphans(std::span<const Resource> wanted, const NodeFacts& facts) {
  return left_in_files(function_rules(facts), facts.node, kinds::kSriov, wanted);
}

Disruption sriov_disruption(
    const NodeFacts& facts, const Resource& resource, std::string_view /*attribute*/) {
  const std::vector<Card>& cards = inventory_of(facts);
  const FoundCard found = find_card(cards, resource.binding);
  if (found.card == nullptr) return Disruption::reboot;
  // Firmware that offers none, or too few, needs the boot that the settings ask for.
  const std::int64_t* number = or_null(resource.wanted(kVfs)).as_integer();
  if (number != nullptr && *number > most(*found.card).value_or(0)) return Disruption::reboot;
  const bool in_use = std::ranges::any_of(
      found.card->ports, [](const AdapterPort& port) { return port.sriov_vfs.value_or(0) > 0; });
  return in_use ? Disruption::link : Disruption::runtime;
}

Result<Work> work_on_sriov(const Change& change, const WorkContext& context) {
  const std::vector<Card>& cards = inventory_of(context.facts);
  const FoundCard found = find_card(cards, change.resource.binding);
  if (found.card == nullptr) return impossible(change.resource, found.why);
  if (change.attributes.empty()) return Work{};
  return SriovWork{change, context, *found.card}.plan();
}

}  // namespace

const FileTexts& function_rules(const NodeFacts& facts) {
  return probed_files(facts, kFilesProbe);
}

bool makes_functions(const NodeFacts& facts, const PciAddress& function) {
  const FileTexts& files = function_rules(facts);
  return std::ranges::any_of(files, [&function](const auto& file) {
    return is_owned(file.second) && file.second.find(function.str()) != std::string::npos;
  });
}

// "sriov": the virtual functions of a card, the same number on each of its ports. A udev
// rule makes them at every boot; whether the firmware has that many is the matter of "settings".
// mlx5 only: the driver of older cards takes the number as a module parameter.
Provider sriov_provider() {
  return {
      .kind = kinds::kSriov,
      .probes = probes_of_sriov,
      // Virtual functions for this host; not a whole card for a guest, which is a hypervisor's
      // matter.
      .supports = sriov_supports,
      .observe = observe_sriov,
      .orphans = sriov_orphans,
      // Functions in use are removed when their number changes: the kernel changes it only from 0.
      .disruption = sriov_disruption,
      .work = work_on_sriov,
      .folders = {"/etc/udev/rules.d/"},
  };
}

}  // namespace fabric::providers
