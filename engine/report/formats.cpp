// SPDX-License-Identifier: Apache-2.0
#include "engine/report/formats.hpp"

#include <array>
#include <map>
#include <set>

#include <fmt/format.h>

#include "engine/base/printable.hpp"
#include "engine/graphviz/svg.hpp"
#include "engine/report/diagnostics/ci.hpp"
#include "engine/report/diagnostics/text.hpp"
#include "engine/report/dot.hpp"
#include "engine/report/drift/drift_formats.hpp"
#include "engine/report/html/pages.hpp"
#include "engine/report/plan/plan_formats.hpp"
#include "engine/report/plan/plan_text.hpp"
#include "engine/report/verify/losses.hpp"
#include "engine/report/verify/verify_formats.hpp"
#include "engine/report/verify/work_order_formats.hpp"
#include "engine/value/json.hpp"
#include "plans/plan_file.hpp"

namespace fabric::report {

namespace {

// Mermaid, which GitHub and GitLab draw in a comment: the cables between nodes, and the order of
// actions.

// A label in quotes. Marks that mean something there, or in HTML, become entities of Mermaid.
std::string quoted(std::string_view text) {
  std::string label = "\"";
  for (const char c : printable(text)) {
    if (std::string_view{"\"#<>&`;"}.find(c) != std::string_view::npos) {
      label += fmt::format("#{};", static_cast<int>(static_cast<unsigned char>(c)));
    } else {
      label += c;
    }
  }
  return label + '"';
}

// Names of nodes may have characters that an id may not: ids are numbers.
class Ids {
 public:
  std::string of(const std::string& name) {
    return fmt::format("n{}", numbers_.emplace(name, numbers_.size() + 1).first->second);
  }

 private:
  std::map<std::string, std::size_t> numbers_;
};

std::string port_text(const PortRef& port) {
  return port.adapter.empty() ? port.port : port.adapter + "/" + port.port;
}

// Also of a document with errors: ends that name no node of the document are dashed and red.
std::string topology_mermaid(const FabricSpec& spec) {
  Ids ids;
  std::string text = "flowchart LR\n";
  for (const auto& [name, node] : spec.nodes) {
    const bool is_a_switch = is_switch(node.platform.value);
    text += fmt::format(
        "  {}{}{}{}\n",
        ids.of(name.str()),
        is_a_switch ? "[[" : "[",
        quoted(name.str()),
        is_a_switch ? "]]" : "]");
  }
  std::set<std::string> strangers;
  std::string edges;
  for (const auto& [name, network] : spec.networks) {
    for (const CableSpec& cable : network.cables) {
      const PortRef& a = cable.a.value;
      const PortRef& b = cable.b.value;
      for (const PortRef* end : {&a, &b}) {
        if (!spec.nodes.contains(end->node)) strangers.insert(end->node.str());
      }
      edges += fmt::format(
          "  {} ---|{}| {}\n",
          ids.of(a.node.str()),
          quoted(fmt::format(
              "{} - {}, {}",
              port_text(a),
              port_text(b),
              cable.label.empty() ? network.name : cable.label)),
          ids.of(b.node.str()));
    }
  }
  for (const std::string& stranger : strangers) {
    text += fmt::format("  {}[{}]\n", ids.of(stranger), quoted(stranger));
    text += fmt::format("  style {} stroke:red,stroke-dasharray:4\n", ids.of(stranger));
  }
  return text + edges;
}

// Actions, clustered by wave; solid arrows must have succeeded, dotted ones only order.
std::string plan_mermaid(const plans::Plan& plan) {
  std::map<std::uint32_t, std::string> waves;
  std::string edges;
  for (const plans::Action& action : plan.actions) {
    waves[action.wave] += fmt::format(
        "    {}[{}]\n", action.id, quoted(action.node.str() + ": " + action.draft.kind));
    for (const std::string& need : action.needs)
      edges += fmt::format("  {} --> {}\n", need, action.id);
    for (const std::string& before : action.after)
      edges += fmt::format("  {} -.-> {}\n", before, action.id);
  }
  std::string text = "flowchart LR\n";
  for (const auto& [wave, nodes] : waves) {
    const std::string label = wave == 0 ? "first" : fmt::format("wave {}", wave);
    text += fmt::format("  subgraph w{} [{}]\n{}  end\n", wave, quoted(label), nodes);
  }
  return text + edges;
}

Text findings_human(const FindingsDocument& document, const Audience& audience) {
  return diagnostics_text(document.findings, document.sources, audience.style);
}

Text findings_json(const FindingsDocument& document, const Audience& /*audience*/) {
  return Text::document(diagnostics_json(document.findings, document.sources));
}

Text findings_sarif(const FindingsDocument& document, const Audience& audience) {
  return Text::document(diagnostics_sarif(
      document.findings, document.sources, {audience.version, audience.root, audience.folder}));
}

Text findings_junit(const FindingsDocument& document, const Audience& /*audience*/) {
  return Text::document(diagnostics_junit(document.findings, document.sources, document.title));
}

Text findings_github(const FindingsDocument& document, const Audience& audience) {
  return diagnostics_github(document.findings, document.sources, audience.root, audience.folder);
}

// The formats of findings are formats of every document that has findings.
template <Text (*write)(const FindingsDocument&, const Audience&)>
Text of_plan(const PlanDocument& document, const Audience& audience) {
  return write({document.findings, document.sources, document.title}, audience);
}

Text plan_human(const PlanDocument& document, const Audience& audience) {
  if (document.plan == nullptr) return of_plan<findings_human>(document, audience);
  return plan_text(*document.plan, audience.style, document.time);
}

// Without a plan it has the key `diagnostics` alone, which nothing takes for a plan.
Text plan_json(const PlanDocument& document, const Audience& audience) {
  if (document.plan == nullptr) return of_plan<findings_json>(document, audience);
  return Text::document(plans::to_plan_file(*document.plan));
}

template <std::size_t most>
Text plan_comment(const PlanDocument& document, const Audience& /*audience*/) {
  return Text::document(
      plan_markdown(document.plan, document.findings, document.sources, document.time, most));
}

Text plan_shell(const PlanDocument& document, const Audience& /*audience*/) {
  return document.plan == nullptr ? Text{} : Text::document(plan_commands(*document.plan));
}

Text plan_as_page(const PlanDocument& document, const Audience& /*audience*/) {
  return Text::document(plan_page(
      {document.plan, document.spec, document.findings, document.sources, document.time}));
}

template <Text (*write)(const FindingsDocument&, const Audience&)>
Text of_drift(const DriftDocument& document, const Audience& audience) {
  return write({document.findings, document.sources, document.title}, audience);
}

Text drift_human(const DriftDocument& document, const Audience& audience) {
  if (document.drift == nullptr) return of_drift<findings_human>(document, audience);
  return drift_text(*document.plan, *document.drift, audience.style);
}

Text drift_document(const DriftDocument& document, const Audience& audience) {
  if (document.drift == nullptr) return of_drift<findings_json>(document, audience);
  return Text::document(drift_json(*document.plan, *document.drift));
}

template <std::size_t most>
Text drift_comment(const DriftDocument& document, const Audience& /*audience*/) {
  if (document.drift == nullptr) {
    return Text::document(
        plan_markdown(nullptr, document.findings, document.sources, std::nullopt, most));
  }
  return Text::document(drift_markdown(*document.plan, *document.drift, most));
}

Text verify_human(const VerifyDocument& document, const Audience& audience) {
  return verify_text(document.report, document.sources, audience.style);
}

Text verify_document(const VerifyDocument& document, const Audience& /*audience*/) {
  return Text::document(to_json_pretty(verify_json(document.report, document.sources)));
}

template <Text (*write)(const FindingsDocument&, const Audience&)>
Text of_verify(const VerifyDocument& document, const Audience& audience) {
  const Diagnostics findings = verify_findings(document.report);
  return write({findings, document.sources, document.title}, audience);
}

std::vector<verify::WorkOrder> orders_of(const VerifyDocument& document) {
  std::vector<verify::WorkOrder> orders = verify::work_orders(document.spec, document.report);
  verify::add_done(orders, document.former_orders);
  return orders;
}

Text orders_in_csv(const VerifyDocument& document, const Audience& /*audience*/) {
  return Text::document(work_order_csv(orders_of(document)));
}

template <std::string (*write)(const std::vector<verify::WorkOrder>&, const std::string&)>
Text orders_on_paper(const VerifyDocument& document, const Audience& /*audience*/) {
  return Text::document(write(orders_of(document), document.spec.name.value));
}

Text verify_as_page(const VerifyDocument& document, const Audience& /*audience*/) {
  return Text::document(
      verify_page({document.report, document.spec, document.sources, orders_of(document)}));
}

Text any_loss_human(const AnyLossDocument& document, const Audience& audience) {
  return any_loss_text(document.all, audience.style);
}

Text any_loss_json(const AnyLossDocument& document, const Audience& /*audience*/) {
  return Text::document(to_json_pretty(any_loss_value(document.all)));
}

Text any_loss_as_page(const AnyLossDocument& document, const Audience& /*audience*/) {
  return Text::document(any_loss_page(document.spec, document.all));
}

Text topology_in_dot(const FabricSpec& spec, const Audience& /*audience*/) {
  return Text::document(topology_dot(spec));
}

Text action_graph_in_dot(const plans::Plan& plan, const Audience& /*audience*/) {
  return Text::document(plan_dot(plan));
}

Text topology_in_svg(const FabricSpec& spec, const Audience& /*audience*/) {
  return Text::document(graphviz::svg(topology_dot(spec)));
}

Text action_graph_in_svg(const plans::Plan& plan, const Audience& /*audience*/) {
  return Text::document(graphviz::svg(plan_dot(plan)));
}

Text topology_in_mermaid(const FabricSpec& spec, const Audience& /*audience*/) {
  return Text::document(topology_mermaid(spec));
}

Text action_graph_in_mermaid(const plans::Plan& plan, const Audience& /*audience*/) {
  return Text::document(plan_mermaid(plan));
}

constexpr std::array kFindingsFormats{
    Format<FindingsDocument>{"human", findings_human},
    Format<FindingsDocument>{"json", findings_json},
    Format<FindingsDocument>{"sarif", findings_sarif},
    Format<FindingsDocument>{"junit", findings_junit},
    Format<FindingsDocument>{"github", findings_github}};

constexpr std::array kPlanFormats{
    Format<PlanDocument>{"human", plan_human},
    Format<PlanDocument>{"json", plan_json},
    Format<PlanDocument>{"commands", plan_shell},
    Format<PlanDocument>{"markdown", plan_comment<kCommentBytes>},
    Format<PlanDocument>{"markdown-small", plan_comment<kSmallCommentBytes>},
    Format<PlanDocument>{"html", plan_as_page},
    Format<PlanDocument>{"sarif", of_plan<findings_sarif>},
    Format<PlanDocument>{"junit", of_plan<findings_junit>},
    Format<PlanDocument>{"github", of_plan<findings_github>}};

constexpr std::array kDriftFormats{
    Format<DriftDocument>{"human", drift_human},
    Format<DriftDocument>{"json", drift_document},
    Format<DriftDocument>{"markdown", drift_comment<kCommentBytes>},
    Format<DriftDocument>{"markdown-small", drift_comment<kSmallCommentBytes>},
    Format<DriftDocument>{"sarif", of_drift<findings_sarif>},
    Format<DriftDocument>{"junit", of_drift<findings_junit>},
    Format<DriftDocument>{"github", of_drift<findings_github>}};

constexpr std::array kVerifyFormats{
    Format<VerifyDocument>{"human", verify_human},
    Format<VerifyDocument>{"json", verify_document},
    Format<VerifyDocument>{"html", verify_as_page},
    Format<VerifyDocument>{"work-order", orders_in_csv},
    Format<VerifyDocument>{"work-order-html", orders_on_paper<work_order_html>},
    Format<VerifyDocument>{"work-order-labels", orders_on_paper<work_order_labels>},
    Format<VerifyDocument>{"sarif", of_verify<findings_sarif>},
    Format<VerifyDocument>{"junit", of_verify<findings_junit>},
    Format<VerifyDocument>{"github", of_verify<findings_github>}};

constexpr std::array kTopologyFormats{
    Format<FabricSpec>{"dot", topology_in_dot},
    Format<FabricSpec>{"mermaid", topology_in_mermaid},
    Format<FabricSpec>{"svg", topology_in_svg}};

constexpr std::array kAnyLossFormats{
    Format<AnyLossDocument>{"human", any_loss_human},
    Format<AnyLossDocument>{"json", any_loss_json},
    Format<AnyLossDocument>{"html", any_loss_as_page}};

constexpr std::array kActionGraphFormats{
    Format<plans::Plan>{"dot", action_graph_in_dot},
    Format<plans::Plan>{"mermaid", action_graph_in_mermaid},
    Format<plans::Plan>{"svg", action_graph_in_svg}};

}  // namespace

Formats<FindingsDocument> findings_formats() {
  return kFindingsFormats;
}

Formats<PlanDocument> plan_formats() {
  return kPlanFormats;
}

Formats<DriftDocument> drift_formats() {
  return kDriftFormats;
}

Formats<VerifyDocument> verify_formats() {
  return kVerifyFormats;
}

Formats<FabricSpec> topology_formats() {
  return kTopologyFormats;
}

Formats<AnyLossDocument> any_loss_formats() {
  return kAnyLossFormats;
}

Formats<plans::Plan> action_graph_formats() {
  return kActionGraphFormats;
}

}  // namespace fabric::report
