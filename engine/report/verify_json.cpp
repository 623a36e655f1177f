#include "engine/report/verify_json.hpp"

namespace fabric::report {

Value cable_value(const verify::CableReport& cable) {
  Map value{
      {"ends", List{cable.a.str(), cable.b.str()}},
      {"network", cable.network},
      {"state", to_string(cable.state)}};
  if (!cable.detail.empty()) value.emplace("detail", cable.detail);
  return value;
}

Value path_value(const verify::PathReport& path) {
  Map value{
      {"from", path.path.from.str()},
      {"to", path.path.to.str()},
      {"network", path.path.network},
      {"interface", path.path.from_interface},
      {"address", path.path.to_address},
      {"mtu", path.path.mtu},
      {"small", to_string(path.small)},
      {"full", to_string(path.full)}};
  if (!path.detail.empty()) value.emplace("detail", path.detail);
  return value;
}

Value finding_value(const verify::Finding& finding) {
  Map value{
      {"rule", finding.rule},
      {"severity", to_string(finding.severity)},
      {"message", finding.message}};
  if (!finding.help.empty()) value.emplace("help", finding.help);
  return value;
}

Value verify_json(const verify::Report& report) {
  List cables;
  List paths;
  List findings;
  for (const verify::CableReport& cable : report.cables)
    cables.push_back(cable_value(cable));
  for (const verify::PathReport& path : report.paths)
    paths.push_back(path_value(path));
  for (const verify::Finding& finding : report.findings)
    findings.push_back(finding_value(finding));
  return Map{
      {"ok", report.ok()},
      {"cables", std::move(cables)},
      {"paths", std::move(paths)},
      {"findings", std::move(findings)}};
}

}  // namespace fabric::report
