// SPDX-License-Identifier: Apache-2.0
// The last change of each attribute by earlier runs of this folder: a plan has the desired value,
// its journal the result.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "engine/execute/journal/journal_read.hpp"
#include "engine/model/resource.hpp"
#include "plans/plan.hpp"

namespace fabric::workflow {

struct LastSet {
  std::string run;
  Value value;          // null: it was removed
  bool staged = false;  // the run activated nothing (plans::Plan::stage)
};

class RunHistory {
 public:
  // REQUIRES: called for each run, the latest first. An attribute that a run was to change and did
  // not finish has no value from earlier runs.
  void add(const execute::RunRecord& record, const plans::Plan& plan);
  // Null if no run shows it.
  const LastSet* find(const ResourceAddress& address, const std::string& attribute) const;

 private:
  // An empty run: the state since then is unknown.
  std::map<std::pair<ResourceAddress, std::string>, LastSet> sets_;
};

}  // namespace fabric::workflow
