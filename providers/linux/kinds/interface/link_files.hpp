// SPDX-License-Identifier: Apache-2.0
// What a change of an interface does to its files, and what rolls that back.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "engine/provider/change.hpp"
#include "providers/linux/kinds/interface/link_work.hpp"

namespace fabric::providers {

class LinkFiles {
 public:
  // REQUIRES: all of them outlive it; `there` are the node's network files.
  LinkFiles(const Change& change, const LinkOnNode& on_node, const FileTexts& there)
      : change_{change},
        link_{on_node.link},
        links_{on_node.links},
        backend_{on_node.backend},
        there_{there} {}

  // Adds to the draft the files that configure it so and are not there as they are to be. Returns
  // the paths of all that do.
  std::set<std::string> write(ActionDraft& draft, const LinkConfig& config) const;

  // Adds those that are ours on the node and not among `written`: of a former name, port, id or
  // back end, and of the time when the port was InfiniBand.
  void remove_stale(ActionDraft& draft, const std::set<std::string>& written) const;

  // A bond that is rolled back gives its slaves back to what they were: their files were written
  // before it, and it activated them.
  void undo_slaves(ActionDraft& draft) const;

 private:
  std::vector<std::string> stale(const std::set<std::string>& written) const;

  const Change& change_;
  const FoundLink& link_;
  const RunningLinks& links_;
  const NetworkBackend& backend_;
  const FileTexts& there_;
};

}  // namespace fabric::providers
