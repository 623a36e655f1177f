// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/resource.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/platform/owned_file.hpp"
#include "engine/provider/action_methods.hpp"
#include "engine/provider/observation.hpp"
#include "engine/remote/command.hpp"
#include "engine/value/lists.hpp"
#include "providers/cards/find_card.hpp"
#include "providers/linux/kinds/adapter/inventory.hpp"
#include "providers/linux/kinds/port/port_match.hpp"
#include "providers/linux/kinds/qos/port_qos.hpp"
#include "providers/linux/kinds/rows.hpp"
#include "providers/linux/kinds/settings/told_settings.hpp"
#include "providers/linux/kinds/sh/scripts.hpp"

namespace fabric::providers {
namespace {

// The files that make a port lossless at each boot: a script, a unit that runs it, and a udev rule
// that starts the unit with the port. All three are fabric's (E-qos-lost-at-boot).

// The values that the script sets. "" and nullopt leave a setting as it is.
struct QosValues {
  std::string dcbx;                              // "os", "firmware"
  std::string trust;                             // "dscp", "pcp"
  std::optional<std::vector<std::int64_t>> pfc;  // and no other priorities
  std::map<std::int64_t, std::int64_t> dscp_priorities;
  std::map<std::int64_t, bool> ecn;  // by priority
  std::optional<std::int64_t> cnp_dscp, tos;
  friend bool operator==(const QosValues&, const QosValues&) = default;
};

struct QosPaths {
  std::string script, unit, rule;
  std::string unit_name;
};

std::string numbers(const std::vector<std::int64_t>& values) {
  return fmt::format("{}", fmt::join(values, " "));
}

template <class Number>
std::string pairs(const std::map<std::int64_t, Number>& values) {
  std::vector<std::string> texts;
  for (const auto& [key, value] : values)
    texts.push_back(fmt::format("{}:{}", key, static_cast<std::int64_t>(value)));
  return join(texts, " ");
}

std::string text(const std::optional<std::int64_t>& number) {
  return number ? std::to_string(*number) : "";
}

// "none" is no priority; "" is left alone.
std::string pfc_text(const QosValues& values) {
  if (!values.pfc) return "";
  return values.pfc->empty() ? "none" : numbers(*values.pfc);
}

// The variables of the script.
std::vector<std::pair<std::string_view, std::string>> variables(
    const Card& card, const AdapterPort& port, const QosValues& values) {
  const bool shares = card.shares_function();
  return {
      {"function", port.function.str()},
      {"dev_port", std::to_string(shares ? port.number - 1 : 0)},
      {"device_port", std::to_string(shares ? port.number : 1)},
      {"dcbx", values.dcbx},
      {"trust", values.trust},
      {"pfc", pfc_text(values)},
      {"map", pairs(values.dscp_priorities)},
      {"ecn", pairs(values.ecn)},
      {"cnp_dscp", text(values.cnp_dscp)},
      {"tos", text(values.tos)}};
}

using Fields = std::map<std::string, std::string, std::less<>>;

// The fields of the lines "name='value'" at the beginning.
Fields fields_in(const std::string& content) {
  Fields fields;
  for (const std::string_view line : split_lines(content)) {
    const std::size_t equals = line.find("='");
    if (equals == std::string_view::npos || !line.ends_with('\'')) break;
    fields.emplace(line.substr(0, equals), line.substr(equals + 2, line.size() - equals - 3));
  }
  return fields;
}

// A text that is no number is left out: the script differs then.
std::map<std::int64_t, std::int64_t> pairs_in(const std::string& text) {
  std::map<std::int64_t, std::int64_t> found;
  for (const std::string_view word : split_words(text)) {
    const std::size_t colon = word.find(':');
    if (colon == std::string_view::npos) continue;
    const auto key = parse_integer(word.substr(0, colon));
    const auto value = parse_integer(word.substr(colon + 1));
    if (key && value) found.emplace(*key, *value);
  }
  return found;
}

QosPaths qos_paths(const ResourceAddress& address) {
  const std::string unit = "fabric-qos-" + address.name;
  return {
      "/etc/fabric/qos-" + address.name + ".sh",
      "/etc/systemd/system/" + unit + ".service",
      "/etc/udev/rules.d/96-" + unit + ".rules",
      unit + ".service"};
}

// For sh. Finds the port by PCI address, tries all settings, and fails if one failed.
std::string qos_script(const Card& card, const AdapterPort& port, const QosValues& values) {
  std::string script;
  for (const auto& [name, value] : variables(card, port, values))
    script += fmt::format("{}='{}'\n", name, value);
  return script += sh::qos.text;
}

// The command that runs the same script once, without a file.
remote::Argv qos_command(const Card& card, const AdapterPort& port, const QosValues& values) {
  remote::Argv argv{"sh", "-c", sh::qos_set, "fabric"};
  for (const auto& [name, value] : variables(card, port, values))
    argv.push_back(fmt::format("{}={}", name, value));
  return argv;
}

// The content without the lines of the marker.
std::string without_marker(const std::string& content) {
  std::string kept;
  bool marker = true;
  for (const std::string_view line : split_lines(content)) {
    marker = marker && line.starts_with('#');
    if (!marker) kept += std::string{line} + "\n";
  }
  return kept;
}

// The values of a script, if qos_script() made it for this port; nullopt: another content.
std::optional<QosValues> values_in_script(
    const Card& card, const AdapterPort& port, const std::string& content) {
  const std::string script = without_marker(content);
  const Fields fields = fields_in(script);
  const auto field = [&fields](std::string_view name) {
    const auto found = fields.find(name);
    return found == fields.end() ? std::string{} : found->second;
  };
  QosValues values;
  values.dcbx = field("dcbx");
  values.trust = field("trust");
  if (const std::string pfc = field("pfc"); !pfc.empty()) {
    values.pfc.emplace();
    for (const std::string_view word : split_words(pfc)) {
      if (const auto priority = parse_integer(word)) values.pfc->push_back(*priority);
    }
  }
  values.dscp_priorities = pairs_in(field("map"));
  for (const auto& [priority, on] : pairs_in(field("ecn")))
    values.ecn.emplace(priority, on == 1);
  values.cnp_dscp = parse_integer(field("cnp_dscp"));
  values.tos = parse_integer(field("tos"));
  if (qos_script(card, port, values) != script) return std::nullopt;
  return values;
}

std::string qos_unit(const QosPaths& paths, const std::string& port) {
  return fmt::format(
      "[Unit]\n"
      "Description=Lossless RoCE of {}, by fabric\n"
      "\n"
      "[Service]\n"
      "Type=oneshot\n"
      "ExecStart=/bin/sh {}\n",
      port,
      paths.script);
}

// Starts with the interface, and again with the RDMA device, which appears later and after each
// loading of the driver.
std::string qos_rule(const Card& card, const AdapterPort& port, const QosPaths& paths) {
  const std::string wants =
      fmt::format("TAG+=\"systemd\", ENV{{SYSTEMD_WANTS}}+=\"{}\"\n", paths.unit_name);
  return udev_port_match(card, port, false) + wants +
         fmt::format(
             "ACTION==\"add\", SUBSYSTEM==\"infiniband\", KERNELS==\"{}\", ", port.function.str()) +
         wants;
}

// The document's settings of a port, the running ones, and those of its files, in the same form.

namespace qos {

inline constexpr std::string_view kEcn = "ecn";
inline constexpr std::string_view kCnpDscp = "cnp_dscp";

}  // namespace qos

constexpr std::string_view kDcbx = "dcbx";
constexpr std::string_view kTrust = "trust";
constexpr std::string_view kPfc = "pfc";
constexpr std::string_view kRocePriority = "roce_priority";
constexpr std::string_view kCnpPriority = "cnp_priority";
using qos::kCnpDscp;
using qos::kEcn;
constexpr std::string_view kTos = "tos";

std::optional<std::int64_t> number(const Value* value) {
  const std::int64_t* integer = value == nullptr ? nullptr : value->as_integer();
  return integer == nullptr ? std::nullopt : std::optional{*integer};
}

std::string word(const Value* value) {
  const std::string* text = value == nullptr ? nullptr : value->as_string();
  return text == nullptr ? "" : *text;
}

std::optional<std::int64_t> bound(const Resource& resource, std::string_view key) {
  return number(resource.bound(key));
}

std::vector<std::int64_t> integers(const Value* value) {
  std::vector<std::int64_t> found;
  for (const Value& each : or_null(value).items()) {
    if (const auto integer = number(&each)) found.push_back(*integer);
  }
  return found;
}

// The DSCPs of the two and the attributes that have their priorities.
constexpr std::pair<std::string_view, std::string_view> kMarks[] = {
    {keys::kRoceDscp, kRocePriority}, {keys::kCnpDscp, kCnpPriority}};

Reading maybe(const std::optional<std::int64_t>& value) {
  return value ? Reading::of(*value) : Reading::absent();
}

Reading maybe(const std::string& value) {
  return value.empty() ? Reading::absent() : Reading::of(value);
}

std::optional<std::int64_t> priority_in(
    const Resource& resource,
    std::string_view dscp,
    const std::map<std::int64_t, std::int64_t>& priorities) {
  const auto mark = bound(resource, dscp);
  const auto found = mark ? priorities.find(*mark) : priorities.end();
  return found == priorities.end() ? std::nullopt : std::optional{found->second};
}

Reading persistent_reading(
    const Resource& resource, std::string_view attribute, const QosValues& values) {
  if (attribute == kDcbx) return maybe(values.dcbx);
  if (attribute == kTrust) return maybe(values.trust);
  if (attribute == kPfc) return values.pfc ? Reading::of(to_list(*values.pfc)) : Reading::absent();
  if (attribute == kCnpDscp) return maybe(values.cnp_dscp);
  if (attribute == kTos) return maybe(values.tos);
  if (attribute == kEcn) {
    if (values.ecn.empty()) return Reading::absent();
    return Reading::of(
        std::ranges::all_of(values.ecn, [](const auto& each) { return each.second; }));
  }
  for (const auto& [dscp, priority] : kMarks) {
    if (attribute == priority) return maybe(priority_in(resource, dscp, values.dscp_priorities));
  }
  return Reading::absent();
}

// True and false where all that heed it agree.
Reading ecn_reading(const Resource& resource, const PortQos& port) {
  if (port.ecn.empty()) {
    return Reading::unknown(
        "the driver has no setting for ECN, and no firmware tool shows ROCE_CC_PRIO_MASK");
  }
  std::vector<std::string> on, off;
  for (const std::int64_t priority : integers(resource.wanted(kPfc))) {
    const auto found = port.ecn.find(priority);
    for (const bool each : found == port.ecn.end() ? std::vector<bool>{false} : found->second)
      (each ? on : off).push_back(std::to_string(priority));
  }
  if (on.empty() || off.empty()) return Reading::of(off.empty());
  return Reading::of(fmt::format("off in part, at priority {}", off.front()));
}

Reading running_reading(const Resource& resource, std::string_view attribute, const PortQos& port) {
  const bool by_firmware =
      (attribute == kEcn && !port.ecn.empty()) || (attribute == kCnpDscp && port.cnp_dscp);
  if (!port.is_ethernet && !by_firmware) return Reading::absent();
  if (attribute == kEcn) return ecn_reading(resource, port);
  if (attribute == kCnpDscp) {
    return port.cnp_dscp ? Reading::of(*port.cnp_dscp)
                         : Reading::unknown("neither the driver nor a firmware tool shows it");
  }
  if (attribute == kTos) return maybe(port.forced_class ? port.forced_class : port.tos);
  if (!port.why.empty()) return Reading::unknown(port.why);
  if (attribute == kDcbx) return maybe(port.dcbx);
  if (attribute == kTrust) return maybe(port.trust);
  if (attribute == kPfc) return port.pfc ? Reading::of(to_list(*port.pfc)) : Reading::absent();
  for (const auto& [dscp, priority] : kMarks) {
    if (attribute == priority) return maybe(priority_in(resource, dscp, port.dscp_priorities));
  }
  return Reading::absent();
}

// Null where it is as it must be for `content` to be in force at the next boot.
const std::string* different(
    const FileTexts& files, const std::string& path, const std::string& content) {
  static const std::string nothing;
  const auto found = files.find(path);
  if (found == files.end()) return &nothing;
  return without_marker(found->second) == content ? nullptr : &found->second;
}

// The document's settings, as a script sets them.
QosValues values_of(const Resource& resource) {
  QosValues values;
  values.dcbx = word(resource.wanted(kDcbx));
  values.trust = word(resource.wanted(kTrust));
  values.pfc = integers(resource.wanted(kPfc));
  for (const auto& [dscp, priority] : kMarks) {
    const auto mark = bound(resource, dscp);
    const auto level = number(resource.wanted(priority));
    if (mark && level) values.dscp_priorities[*mark] = *level;
  }
  const Value* ecn = resource.wanted(kEcn);
  const bool on = ecn != nullptr && ecn->as_bool() != nullptr && *ecn->as_bool();
  for (const std::int64_t priority : *values.pfc)
    values.ecn[priority] = on;
  values.cnp_dscp = number(resource.wanted(kCnpDscp));
  values.tos = number(resource.wanted(kTos));
  return values;
}

// The running settings; unknown parts are left out.
QosValues values_of(const PortQos& port) {
  QosValues values;
  values.dcbx = port.dcbx;
  values.trust = port.trust == "none" ? "" : port.trust;
  values.pfc = port.pfc;
  values.dscp_priorities = port.dscp_priorities;
  for (const auto& [priority, ends] : port.ecn) {
    if (port.ecn_by_driver && std::ranges::adjacent_find(ends, std::not_equal_to<>{}) == ends.end())
      values.ecn[priority] = ends.front();
  }
  if (port.ecn_by_driver) values.cnp_dscp = port.cnp_dscp;
  values.tos = port.tos;
  return values;
}

// The settings that the files make at the next boot; nullopt: a file is missing.
std::optional<QosValues> kept_values(
    const FileTexts& files,
    const ResourceAddress& address,
    const Card& card,
    const AdapterPort& port) {
  const QosPaths paths = qos_paths(address);
  const auto script = files.find(paths.script);
  if (script == files.end() || !is_owned(script->second)) return std::nullopt;
  if (different(files, paths.unit, qos_unit(paths, address.name)) != nullptr) return std::nullopt;
  if (different(files, paths.rule, qos_rule(card, port, paths)) != nullptr) return std::nullopt;
  return values_in_script(card, port, script->second);
}

LayeredReading reading_of(
    const Resource& resource,
    std::string_view attribute,
    const PortQos& port,
    const std::optional<QosValues>& kept) {
  return {
      running_reading(resource, attribute, port),
      std::nullopt,
      kept ? persistent_reading(resource, attribute, *kept) : Reading::absent()};
}

// The settings before fabric, for the time when fabric's are removed.
Map recorded(const QosValues& values) {
  Map before;
  if (!values.dcbx.empty()) before.emplace(kDcbx, values.dcbx);
  if (!values.trust.empty()) before.emplace(kTrust, values.trust);
  if (values.pfc) before.emplace(kPfc, to_list(*values.pfc));
  if (values.cnp_dscp) before.emplace(kCnpDscp, *values.cnp_dscp);
  Map ecn;
  for (const auto& [priority, on] : values.ecn)
    ecn.emplace(std::to_string(priority), on);
  if (!ecn.empty()) before.emplace(kEcn, std::move(ecn));
  before.emplace(kTos, values.tos.value_or(0));
  return before;
}

QosValues from_record(const Map& before) {
  const auto find = [&before](std::string_view key) {
    const auto found = before.find(key);
    return found == before.end() ? nullptr : &found->second;
  };
  QosValues values;
  values.dcbx = word(find(kDcbx));
  values.trust = word(find(kTrust));
  if (find(kPfc) != nullptr) values.pfc = integers(find(kPfc));
  values.cnp_dscp = number(find(kCnpDscp));
  values.tos = number(find(kTos));
  for (const auto& [priority, on] : or_null(find(kEcn)).members()) {
    const auto level = parse_integer(priority);
    if (level && on.as_bool() != nullptr) values.ecn[*level] = *on.as_bool();
  }
  return values;
}

constexpr std::string_view kFilesProbe = "qos-files";

class QosWork {
 public:
  QosWork(
      const Change& change, const WorkContext& context, const Card& card, const AdapterPort& port)
      : change_{change},
        context_{context},
        card_{card},
        port_{port},
        files_{probed_files(context.facts, kFilesProbe)},
        paths_{qos_paths(change.resource.address)},
        running_{port_qos(context.facts, card, port)} {}

  Result<Work> plan() const {
    if (change_.kind == ChangeKind::remove) return Work{{remove_draft()}};
    if (const auto error = impossible()) return *error;
    Work work;
    if (any(&AttributeChange::write)) work.actions.push_back(write_draft());
    if (any(&AttributeChange::activate) && !context_.reboot_planned)
      work.actions.push_back(set_draft());
    return work;
  }

 private:
  bool any(bool AttributeChange::*flag) const {
    return std::ranges::any_of(
        change_.attributes, [flag](const AttributeChange& each) { return each.*flag; });
  }

  // The driver of the kernel has no switch of it.
  std::optional<Error> impossible() const {
    if (running_.ecn_by_driver || !running_.is_ethernet) return std::nullopt;
    std::vector<std::string> parameters;
    for (const AttributeChange& each : change_.attributes) {
      if (!each.activate) continue;
      if (each.attribute == qos::kEcn)
        parameters.push_back(fmt::format("ROCE_CC_PRIO_MASK_P{}", port_.number));
      if (each.attribute == qos::kCnpDscp)
        parameters.push_back(fmt::format("CNP_DSCP_P{}", port_.number));
    }
    if (!parameters.empty()) {
      return fabric::impossible(
          change_.resource,
          fmt::format(
              "the driver leaves congestion marks to the firmware; set {} under "
              "`firmware.params` of the adapter",
              join(parameters, " and ")));
    }
    return std::nullopt;
  }

  Map before() const {
    if (const auto file = files_.find(paths_.script);
        file != files_.end() && is_owned(file->second))
      return owned_before(file->second);
    // A port that becomes Ethernet starts with the defaults of a card.
    QosValues before = values_of(running_);
    if (!running_.is_ethernet) {
      before.trust = "pcp";
      before.pfc.emplace();
    }
    return recorded(before);
  }

  ActionDraft write_draft() const {
    ActionDraft draft;
    draft.kind = methods::kQosWrite;
    draft.stage = Stage::prepare;
    draft.title = fmt::format("write {} and its unit", paths_.script);
    const ResourceAddress& address = change_.resource.address;
    const std::string marker = owned_marker(address);
    const std::map<std::string, std::string> contents{
        {paths_.script,
         owned_marker(change_.resource, before()) +
             qos_script(card_, port_, values_of(change_.resource))},
        {paths_.unit, marker + qos_unit(paths_, address.name)},
        {paths_.rule, marker + qos_rule(card_, port_, paths_)}};
    for (const auto& [path, content] : contents) {
      const std::string* former = text_at(files_, path);
      if (former == nullptr || *former != content) replace_file(draft, {path, content}, former);
    }
    draft.steps.run({"systemctl", "daemon-reload"});
    draft.undo.run({"systemctl", "daemon-reload"});
    for (const AttributeChange& each : change_.attributes) {
      if (each.write)
        draft.postconditions.push_back({address, each.attribute, Layer::persistent, each.desired});
    }
    return draft;
  }

  ActionDraft set_draft() const {
    ActionDraft draft;
    draft.kind = methods::kQosSet;
    draft.stage = Stage::activate;
    draft.disruption = Disruption::traffic;
    std::vector<std::string> parts;
    for (const AttributeChange& each : change_.attributes) {
      if (!each.activate) continue;
      parts.push_back(fmt::format("{}={}", each.attribute, to_text(each.desired)));
      draft.postconditions.push_back(
          {change_.resource.address, each.attribute, Layer::running, each.desired});
    }
    draft.title = fmt::format("set {} at {}", fmt::join(parts, " "), port_.netdev);
    draft.steps.run({"systemctl", "restart", paths_.unit_name});
    draft.undo.run(qos_command(card_, port_, values_of(running_)));
    if (!port_.netdev.empty()) draft.disturbs.push_back(port_.netdev);
    return draft;
  }

  ActionDraft remove_draft() const {
    ActionDraft draft;
    draft.kind = methods::kQosWrite;
    draft.stage = Stage::activate;
    draft.disruption = Disruption::traffic;
    draft.title = fmt::format("remove {} and its unit", paths_.script);
    for (const std::string* path : {&paths_.rule, &paths_.unit, &paths_.script}) {
      if (const std::string* former = text_at(files_, *path)) remove_file(draft, *path, former);
    }
    draft.steps.run({"systemctl", "daemon-reload"});
    QosValues former = from_record(before());
    // Without an RDMA device, as at the second port of a RoCE bond, there is no value to give back.
    if (!running_.tos) former.tos.reset();
    draft.steps.run(qos_command(card_, port_, former));
    draft.undo.run({"systemctl", "daemon-reload"});
    draft.undo.run({"systemctl", "restart", paths_.unit_name});
    for (const AttributeChange& each : change_.attributes)
      draft.postconditions.push_back(
          {change_.resource.address, each.attribute, Layer::persistent, Value{}});
    if (!port_.netdev.empty()) draft.disturbs.push_back(port_.netdev);
    return draft;
  }

  const Change& change_;
  const WorkContext& context_;
  const Card& card_;
  const AdapterPort& port_;
  const FileTexts& files_;
  QosPaths paths_;
  PortQos running_;
};

std::vector<Probe> probes_of_qos() {
  std::vector<Probe> probes{pci_probe(), qos_probe()};
  // ECN of drivers that leave it to the firmware.
  for (Probe& each : settings_probes())
    probes.push_back(std::move(each));
  probes.push_back({std::string{kFilesProbe}, std::string{sh::probe_qos_files.text}});
  return probes;
}

std::vector<Observation> observe_qos(
    std::span<const Resource> wanted, const NodeFacts& facts, Diagnostics& /*diagnostics*/) {
  const std::vector<Card>& cards = inventory_of(facts);
  const FileTexts& files = probed_files(facts, kFilesProbe);
  return observe_each(wanted, [&](const Resource& resource, Observation& observation) {
    const FoundPort found = find_port(cards, resource.binding);
    std::optional<QosValues> kept;
    PortQos port;
    if (found.port != nullptr) {
      kept = kept_values(files, resource.address, *found.card, *found.port);
      port = port_qos(facts, *found.card, *found.port);
    }
    for (const auto& [attribute, desired] : resource.desired) {
      observation.attributes.emplace(
          attribute,
          found.port == nullptr
              ? LayeredReading{Reading::unknown(found.why), std::nullopt, Reading::unknown(found.why)}
              : reading_of(resource, attribute, port, kept));
    }
  });
}

std::vector<Resource> qos_orphans(std::span<const Resource> wanted, const NodeFacts& facts) {
  return left_in_files(probed_files(facts, kFilesProbe), facts.node, kinds::kQos, wanted);
}

Result<Work> work_on_qos(const Change& change, const WorkContext& context) {
  const std::vector<Card>& cards = inventory_of(context.facts);
  const FoundPort found = find_port(cards, change.resource.binding);
  if (found.port == nullptr) return impossible(change.resource, found.why);
  return QosWork{change, context, *found.card, *found.port}.plan();
}

}  // namespace

// "qos": lossless RoCE of one port. A script of fabric sets it at each boot and now, and the values
// in force are read back from the port.
Provider qos_provider() {
  return {
      .kind = kinds::kQos,
      .probes = probes_of_qos,
      .observe = observe_qos,
      .orphans = qos_orphans,
      // Frames are lost for a moment while a port's buffers are set; its link stays.
      .disruption = always(Disruption::traffic),
      .work = work_on_qos,
      .folders = {"/etc/fabric/", "/etc/systemd/system/", "/etc/udev/rules.d/"},
  };
}

}  // namespace fabric::providers
