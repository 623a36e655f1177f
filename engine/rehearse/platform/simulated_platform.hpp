// SPDX-License-Identifier: Apache-2.0
// SimulatedPlatform: the knowledge of a rehearsal and the simulation about the lab's machines of
// one platform, beyond what the platform itself tells of its nodes. SimulatedPlatforms: all of
// them, a row each.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/abstract.hpp"
#include "engine/base/clock.hpp"
#include "engine/lab/lab.hpp"
#include "engine/lab/lab_spec.hpp"
#include "engine/model/resource.hpp"
#include "engine/model/spec.hpp"
#include "engine/platform/facts.hpp"
#include "engine/remote/step.hpp"
#include "providers/cards/card.hpp"
#include "providers/cards/card_settings.hpp"

namespace fabric::rehearse {

// FileEdit: a change that a person makes to a file of a node while fabric works there.
// A person who has logged in to a node changes a file that the plan depends on, fabric's or a
// foreign one. `edited`: adds a line without meaning; `linked`: moves the file and links to it.
struct FileEdit {
  enum class How : std::uint8_t { edited, removed, linked, truncated };
  How how = How::edited;
  // 1: before the first reading of the apply; n: before the (n-1)th changing step, on its node; 0 =
  // never.
  std::uint32_t at = 0;
  // The edit waits for a step that writes such a file, and takes that file.
  bool aimed = false;
  std::uint64_t which = 0;  // of the files that there are, counted round
};
std::string_view to_string(FileEdit::How how);

// The change of a foreign file that a command of a plan announces.
struct ShownEdit {
  std::string path;
  std::string digest;              // of the file when the plan is made
  std::vector<std::string> lines;  // lines that may be commented out
  std::set<std::string> kept_as;   // paths at which a removed file may be kept
};

struct SimulatedLock {
  std::string text;    // all that stands in it
  std::string run;     // LeaseHolder::run; "unknown" where it says none
  Duration length{0};  // of the lease, from when the text came there
};

class SimulatedPlatform : public Abstract {
 public:
  // The lab machine for one node's facts. `resources`: of that node, or of all.
  virtual lab::LabHost copy(
      const NodeSpec& node,
      const NodeFacts& facts,
      const std::vector<Resource>& resources) const = 0;
  // Commands for the copy, whose facts are `copied`, so that it runs with what the node runs with.
  virtual std::vector<std::string> catching_up(
      const NodeFacts& /*facts*/, const NodeFacts& /*copied*/) const {
    return {};
  }

  // The functions below are for machines with a lock, and with files that outlive a boot.
  // The node's lock, if there is one, read without the node's help.
  virtual std::optional<SimulatedLock> lock(
      const lab::Lab& /*lab*/, const NodeName& /*node*/) const {
    return std::nullopt;
  }
  // True for a step that takes, reads or gives up a lock and changes nothing else.
  virtual bool is_about_lock(const remote::Step& /*step*/) const { return false; }
  // True for such work when it has come to the machine.
  virtual bool is_lock_work(const lab::Work& /*work*/) const { return false; }

  // The content that another operator would write in place of `file` to change what is in force;
  // nullopt if no value in it is known.
  virtual std::optional<std::string> meddled(const remote::step::WriteFile& /*file*/) const {
    return std::nullopt;
  }
  // Writes the file as another person who has logged in does.
  virtual void write(
      lab::Lab& /*lab*/,
      const NodeName& /*node*/,
      const std::string& /*path*/,
      const std::string& /*content*/) const {}
  // Makes the edit of another person to an existing file. The file, or the target of the link, is
  // on the disk.
  virtual void edit(
      lab::Lab& /*lab*/,
      const NodeName& /*node*/,
      const std::string& /*path*/,
      FileEdit::How /*how*/) const {}
  // True if there is a link at the path.
  virtual bool is_link(
      lab::Lab& /*lab*/, const NodeName& /*node*/, const std::string& /*path*/) const {
    return false;
  }
  // True if a run of fabric may touch the file. `content`: the present content, if the file exists;
  // `touched`: all files of the node that were touched.
  virtual bool may_touch(
      const std::string& /*path*/,
      const std::vector<std::string>& /*touched*/,
      const std::optional<std::string>& /*content*/) const {
    return true;
  }
  // True for a file that a power cut may remove: a log, or a file that a service makes for itself.
  virtual bool may_be_lost(const std::string& /*path*/) const { return false; }
  // Read from the command's words in the plan, independent of the code that made them. `kind`: of
  // the command's action.
  virtual std::optional<ShownEdit> shown_edit(
      std::string_view /*kind*/, const remote::Argv& /*command*/) const {
    return std::nullopt;
  }
};

// A row: the maker of a platform's machines in the lab, and the copier of nodes.
struct SimulatedEntry {
  Platform platform;
  lab::MachineMaker maker;
  const SimulatedPlatform& copier;
};

class SimulatedPlatforms {
 public:
  explicit SimulatedPlatforms(const std::vector<SimulatedEntry>& entries) {
    for (const SimulatedEntry& entry : entries) {
      makers_.emplace(entry.platform, entry.maker);
      copiers_.emplace(entry.platform, &entry.copier);
    }
  }
  // Null if there is no such row.
  const SimulatedPlatform* find(Platform platform) const {
    const auto found = copiers_.find(platform);
    return found == copiers_.end() ? nullptr : found->second;
  }
  const std::map<Platform, lab::MachineMaker>& makers() const { return makers_; }

 private:
  std::map<Platform, lab::MachineMaker> makers_;
  std::map<Platform, const SimulatedPlatform*> copiers_;
};

// Copies a card of a node, from its facts, into the lab.
lab::LabAdapter copy_card(const providers::Card& card, const providers::CardSettings& settings);

}  // namespace fabric::rehearse
