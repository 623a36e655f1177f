// SPDX-License-Identifier: Apache-2.0
#include "engine/labserver/status.hpp"

#include <fmt/format.h>

namespace fabric::labserver {
namespace {

std::string_view to_string(lab::Power power) {
  switch (power) {
    case lab::Power::up:
      return "up";
    case lab::Power::going_down:
      return "going-down";
    case lab::Power::down:
      return "down";
    case lab::Power::booting:
      return "booting";
    case lab::Power::dead:
      return "dead";
  }
  return "";
}

List to_list(const std::vector<std::string>& texts) {
  List list;
  for (const std::string& text : texts)
    list.emplace_back(text);
  return list;
}

Value refusal(const Error& error) {
  return Map{
      {"error", error.message},
      {"code", error.code == ErrorCode::not_found ? "not_found" : "invalid"}};
}

Result<void> set_fault(const Value& request, lab::Lab& lab) {
  const NodeName node = FABRIC_TRY(NodeName::parse(request.string_or_empty("node")));
  const lab::Fault fault = FABRIC_TRY(lab::parse_fault(request.string_or_empty("fault")));
  return lab.set_fault(node, fault, request.string_or_empty("only"));
}

Result<void> swap_card(const Value& request, lab::Lab& lab) {
  const std::string where = request.string_or_empty("node");
  const std::size_t slash = where.find('/');
  const NodeName node = FABRIC_TRY(NodeName::parse(where.substr(0, slash)));
  return lab.swap_card(node, slash == std::string::npos ? "" : where.substr(slash + 1));
}

}  // namespace

Value status_of(const lab::Lab& lab, const Addresses& addresses) {
  const lab::Monitor& monitor = lab.monitor();
  Map states;
  for (const auto& [name, address] : addresses) {
    const auto reboots = monitor.reboots_by_node.find(name.str());
    states[name.str()] =
        Map{{"power", to_string(lab.power(name))},
            {"address", address},
            {"boots", reboots == monitor.reboots_by_node.end() ? 0U : reboots->second},
            {"fault", lab::to_string(lab.fault(name))}};
  }
  List late;
  for (const lab::LateChange& change : monitor.late_changes)
    late.emplace_back(
        change.node.str() +
        ": what was sent before its network was rolled back has changed it afterwards");
  Map reboots;
  for (const auto& [name, count] : monitor.reboots_by_node)
    reboots[name] = count;
  return Map{
      {"nodes", std::move(states)},
      {"monitor",
       Map{{"reboots", monitor.reboots},
           {"reboots_by_node", std::move(reboots)},
           {"most_down_at_once", monitor.most_down_at_once},
           {"neighbours_down_together", to_list(monitor.neighbours_down_together)},
           {"violations", std::move(late)}}}};
}

Value perform_request(const Value& request, lab::Lab& lab, const Addresses& addresses) {
  const std::string verb = request.string_or_empty("verb");
  if (verb == "status") return status_of(lab, addresses);
  Result<void> done = Error{ErrorCode::invalid, fmt::format("the lab has no verb '{}'", verb)};
  if (verb == "fault") done = set_fault(request, lab);
  if (verb == "recable")
    done = lab.recable(request.string_or_empty("a"), request.string_or_empty("b"));
  if (verb == "unplug") {
    const Value* one_end = request.find("one_end");
    done = lab.unplug(
        request.string_or_empty("a"),
        one_end != nullptr && one_end->as_bool() != nullptr && *one_end->as_bool());
  }
  if (verb == "swap-card") done = swap_card(request, lab);
  if (!done) return refusal(done.error());
  return Map{{"ok", true}};
}

}  // namespace fabric::labserver
