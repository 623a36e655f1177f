// SPDX-License-Identifier: Apache-2.0
// Revision: the `nv set` and `nv unset` commands of one action, and those of its rollback.
#pragma once

#include <string>
#include <vector>

#include "engine/provider/change.hpp"
#include "engine/remote/command.hpp"
#include "engine/value/value.hpp"

namespace fabric::providers::nvue {

using Words = std::vector<std::string>;

class Revision {
 public:
  // `applied`: what is asked of the switch now; outlives this.
  explicit Revision(const Value& applied) : applied_{applied} {}

  // {"interface", "bond7", "link", "mtu", "9000"}. Nothing where it is set so already.
  void set(Words words);
  // {"interface", "swp7", "bridge"}. Nothing where nothing is set there.
  void unset(Words words);
  // Settings that NVUE makes by itself from others, and removes with them.
  void makes(const Words& words);

  bool empty() const { return done_.empty(); }
  // One action: set and unset on top of the applied configuration, then applied. Revisions that
  // another login has begun and not applied are left alone. `title` is for the action; the words
  // follow it.
  ActionDraft draft(const std::string& title, const Change& change) const;

 private:
  const Value& applied_;
  std::vector<remote::Argv> done_, undone_;  // the latter in the order of the former
};

// Puts what has no tag at the interface into the VLAN `id`, which the bridge has. Where tags come
// in too, or are to by keys of `resource`, it is `untagged`, else `access` (E-nvue-port-vlans).
void set_access_vlan(
    Revision& revision,
    const Value& applied,
    const Resource& resource,
    const std::string& interface,
    const std::string& id);

// A tree of what is set as the commands that set it, in order.
std::vector<remote::Argv> set_commands(const Value& tree);

// Saves the configuration that is applied and would be gone after the next boot.
ActionDraft save_draft(const Change& change);

// All of it is applied and the switch does not run with it: to apply it again mends nothing.
Error not_in_force(const Change& change);

}  // namespace fabric::providers::nvue
