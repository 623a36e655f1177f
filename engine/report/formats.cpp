#include "engine/report/formats.hpp"

#include <array>

#include "engine/report/diagnostics/github.hpp"
#include "engine/report/diagnostics/json.hpp"
#include "engine/report/diagnostics/junit.hpp"
#include "engine/report/diagnostics/sarif.hpp"
#include "engine/report/diagnostics/text.hpp"
#include "engine/report/dot.hpp"
#include "engine/report/plan/plan_commands.hpp"
#include "engine/report/plan/plan_text.hpp"
#include "engine/report/verify/verify_json.hpp"
#include "engine/report/verify/verify_text.hpp"
#include "engine/value/json.hpp"
#include "plans/plan_file.hpp"

namespace fabric::report {

namespace {

std::string findings_human(const FindingsDocument& document, const Audience& audience) {
  return diagnostics_text(document.findings, document.sources, audience.style);
}

std::string findings_json(const FindingsDocument& document, const Audience& /*audience*/) {
  return diagnostics_json(document.findings, document.sources);
}

std::string findings_sarif(const FindingsDocument& document, const Audience& audience) {
  return diagnostics_sarif(document.findings, document.sources, {audience.version, audience.root});
}

std::string findings_junit(const FindingsDocument& document, const Audience& /*audience*/) {
  return diagnostics_junit(document.findings, document.sources, document.title);
}

std::string findings_github(const FindingsDocument& document, const Audience& audience) {
  return diagnostics_github(document.findings, document.sources, audience.root);
}

// The formats of findings are formats of every document that has findings.
template <std::string (*write)(const FindingsDocument&, const Audience&)>
std::string of_plan(const PlanDocument& document, const Audience& audience) {
  return write({document.findings, document.sources, document.title}, audience);
}

std::string plan_human(const PlanDocument& document, const Audience& audience) {
  if (document.plan == nullptr) return of_plan<findings_human>(document, audience);
  return plan_text(*document.plan, audience.style, document.time);
}

// Without a plan it has the key `diagnostics` alone, which nothing takes for a plan.
std::string plan_json(const PlanDocument& document, const Audience& audience) {
  if (document.plan == nullptr) return of_plan<findings_json>(document, audience);
  return plans::to_plan_file(*document.plan);
}

std::string plan_shell(const PlanDocument& document, const Audience& /*audience*/) {
  return document.plan == nullptr ? std::string{} : plan_commands(*document.plan);
}

std::string verify_human(const VerifyDocument& document, const Audience& audience) {
  return verify_text(document.report, document.sources, audience.style);
}

std::string verify_document(const VerifyDocument& document, const Audience& /*audience*/) {
  return to_json_pretty(verify_json(document.report, document.sources));
}

template <std::string (*write)(const FindingsDocument&, const Audience&)>
std::string of_verify(const VerifyDocument& document, const Audience& audience) {
  const Diagnostics findings = verify_findings(document.report);
  return write({findings, document.sources, document.title}, audience);
}

std::string topology_in_dot(const FabricSpec& spec, const Audience& /*audience*/) {
  return topology_dot(spec);
}

std::string action_graph_in_dot(const plans::Plan& plan, const Audience& /*audience*/) {
  return plan_dot(plan);
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
    Format<PlanDocument>{"sarif", of_plan<findings_sarif>},
    Format<PlanDocument>{"junit", of_plan<findings_junit>},
    Format<PlanDocument>{"github", of_plan<findings_github>}};

constexpr std::array kVerifyFormats{
    Format<VerifyDocument>{"human", verify_human},
    Format<VerifyDocument>{"json", verify_document},
    Format<VerifyDocument>{"sarif", of_verify<findings_sarif>},
    Format<VerifyDocument>{"junit", of_verify<findings_junit>},
    Format<VerifyDocument>{"github", of_verify<findings_github>}};

constexpr std::array kTopologyFormats{Format<FabricSpec>{"dot", topology_in_dot}};

constexpr std::array kActionGraphFormats{Format<plans::Plan>{"dot", action_graph_in_dot}};

}  // namespace

Formats<FindingsDocument> findings_formats() {
  return kFindingsFormats;
}

Formats<PlanDocument> plan_formats() {
  return kPlanFormats;
}

Formats<VerifyDocument> verify_formats() {
  return kVerifyFormats;
}

Formats<FabricSpec> topology_formats() {
  return kTopologyFormats;
}

Formats<plans::Plan> action_graph_formats() {
  return kActionGraphFormats;
}

}  // namespace fabric::report
