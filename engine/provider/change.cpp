// SPDX-License-Identifier: Apache-2.0
#include "engine/provider/change.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "engine/base/check.hpp"
#include "engine/base/text.hpp"
#include "engine/model/resource_kinds.hpp"

namespace fabric {

std::string_view to_string(Disruption disruption) {
  switch (disruption) {
    case Disruption::none:
      return "none";
    case Disruption::runtime:
      return "runtime";
    case Disruption::traffic:
      return "traffic";
    case Disruption::link:
      return "link";
    case Disruption::driver:
      return "driver";
    case Disruption::reboot:
      return "reboot";
    case Disruption::power_cycle:
      return "power-cycle";
  }
  report_bug(__FILE__, __LINE__, "a disruption that does not exist");
}

std::string_view to_string(ChangeKind kind) {
  switch (kind) {
    case ChangeKind::add:
      return "add";
    case ChangeKind::update:
      return "update";
    case ChangeKind::remove:
      return "remove";
    case ChangeKind::unknown:
      return "unknown";
  }
  report_bug(__FILE__, __LINE__, "a kind of change that does not exist");
}

bool Change::activates(std::string_view attribute) const {
  return std::any_of(attributes.begin(), attributes.end(), [&](const auto& each) {
    return each.activate && (attribute.empty() || each.attribute == attribute);
  });
}

Disruption Change::disruption() const {
  Disruption worst = Disruption::none;
  for (const AttributeChange& change : attributes)
    worst = std::max(worst, change.disruption);
  return worst;
}

bool holds(const Condition& condition, const Reading& reading, Platform platform) {
  if (!condition.equals.is_null()) return reading.equals(condition.equals);
  if (!reading.is_known() || condition.layer == Layer::persistent) return reading.is_absent();
  const ResourceKind* row = find_resource_kind(condition.address.kind, platform);
  if (row == nullptr) return false;
  const auto nothing = split_words(row->nothing);
  const std::string shown = fmt::format("{}={}", condition.attribute, to_text(*reading.value()));
  return std::find(nothing.begin(), nothing.end(), shown) != nothing.end();
}

WorkSteps activated_together(
    const WorkSteps& first, const WorkSteps& then, const SharedActivation& activation) {
  const std::size_t ends = activation.opening + activation.closing;
  FABRIC_CHECK(
      first.size() >= ends && then.size() >= ends, "an activation without its beginning or end");
  const auto inner_end = [&](const WorkSteps& steps) {
    return steps.end() - static_cast<std::ptrdiff_t>(activation.closing);
  };
  std::vector<remote::Step> steps{first.begin(), inner_end(first)};
  const auto opening = static_cast<std::ptrdiff_t>(activation.opening);
  for (auto step = then.begin() + opening; step != inner_end(then); ++step) {
    if (std::find(steps.begin() + opening, steps.end(), *step) == steps.end())
      steps.push_back(*step);
  }
  steps.insert(steps.end(), inner_end(then), then.end());
  return WorkSteps{std::move(steps)};
}

void put_back(
    ActionDraft& draft, const std::string& path, const std::string* former, std::uint32_t mode) {
  if (former != nullptr) {
    draft.undo.write({path, *former, mode, "root:root"});
  } else {
    draft.undo.remove(path);
  }
}

void replace_file(ActionDraft& draft, remote::step::WriteFile file, const std::string* former) {
  put_back(draft, file.path, former, file.mode);
  draft.steps.write(std::move(file));
}

void remove_file(
    ActionDraft& draft, const std::string& path, const std::string* former, std::uint32_t mode) {
  draft.steps.remove(path);
  put_back(draft, path, former, mode);
}

}  // namespace fabric
