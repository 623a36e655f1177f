// SPDX-License-Identifier: Apache-2.0
// Revision: the `nv set` and `nv unset` commands of one action and of its rollback.
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
  // `applied`: the applied configuration; must outlive this.
  explicit Revision(const Value& applied) : applied_{applied} {}

  // Words as {"interface", "bond7", "link", "mtu", "9000"}. Does nothing if they are set already.
  void set(Words words);
  // Words as {"interface", "swp7", "bridge"}. Does nothing if nothing is set there.
  void unset(Words words);
  // Notes settings that NVUE makes from others by itself, and removes with them.
  void makes(const Words& words);

  bool empty() const { return done_.empty(); }
  // One action: sets and unsets on top of the applied configuration, then applies it. Pending
  // revisions of another login are left alone. The action's title is `title`, followed by the
  // words.
  ActionDraft draft(const std::string& title, const Change& change) const;

 private:
  const Value& applied_;
  std::vector<remote::Argv> done_, undone_;  // the latter in the order of the former
};

// Puts untagged frames at the interface into the VLAN `id`, which the bridge has: as `untagged`
// where tagged frames come in too, or shall by keys of `resource`, else `access`
// (E-nvue-port-vlans).
void set_access_vlan(
    Revision& revision,
    const Value& applied,
    const Resource& resource,
    const std::string& interface,
    const std::string& id);

// The commands that set the tree, in order.
std::vector<remote::Argv> set_commands(const Value& tree);

// Saves the applied configuration, which the next boot would lose.
ActionDraft save_draft(const Change& change);

// The error for applied settings that the switch does not run with: applying again is useless.
Error not_in_force(const Change& change);

}  // namespace fabric::providers::nvue
