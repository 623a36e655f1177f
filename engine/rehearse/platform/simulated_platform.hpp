// SPDX-License-Identifier: Apache-2.0
// SimulatedPlatform: what a rehearsal and the simulation must know of the lab's machines of one
// platform, beyond what the platform itself says of its nodes. SimulatedPlatforms: all that a
// program knows, a row each.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/clock.hpp"
#include "engine/lab/lab.hpp"
#include "engine/lab/lab_spec.hpp"
#include "engine/model/resource.hpp"
#include "engine/model/spec.hpp"
#include "engine/platform/facts.hpp"
#include "engine/rehearse/platform/file_edit.hpp"
#include "engine/remote/step.hpp"

namespace fabric::rehearse {

// The announced effect of a command of a plan on a foreign file.
struct ShownEdit {
  std::string path;
  std::string digest;              // of what stands there when the plan is made
  std::vector<std::string> lines;  // that may be commented out
  std::set<std::string> kept_as;   // where a copy may stand when it is taken away
};

struct SimulatedLock {
  std::string text;    // all that stands in it
  std::string run;     // LeaseHolder::run; "unknown" where it says none
  Duration length{0};  // of the lease, from when the text came there
};

class SimulatedPlatform {
 public:
  SimulatedPlatform() = default;
  SimulatedPlatform(const SimulatedPlatform&) = delete;
  SimulatedPlatform& operator=(const SimulatedPlatform&) = delete;
  virtual ~SimulatedPlatform() = default;

  // One node's facts as a machine of the lab. `resources`: of that node, or of all.
  virtual lab::LabHost copy(
      const NodeSpec& node,
      const NodeFacts& facts,
      const std::vector<Resource>& resources) const = 0;
  // What has to be done on the copy, whose facts are `copied`, so that what runs there is what runs
  // on the node.
  virtual std::vector<std::string> catching_up(
      const NodeFacts& /*facts*/, const NodeFacts& /*copied*/) const {
    return {};
  }

  // What follows is of machines with a lock, and with files that outlive a boot; others have none.
  // The node's lock, if there is one. Looked up without the node's help.
  virtual std::optional<SimulatedLock> lock(
      const lab::Lab& /*lab*/, const NodeName& /*node*/) const {
    return std::nullopt;
  }
  // The step takes, reads or gives up a lock, which changes nothing that a plan is about.
  virtual bool is_about_lock(const remote::Step& /*step*/) const { return false; }
  // The same of what has come to the machine.
  virtual bool is_lock_work(const lab::Work& /*work*/) const { return false; }

  // What another operator would write in place of `file`, so that something else is in force;
  // nothing where no value of it is known to be one.
  virtual std::optional<std::string> meddled(const remote::step::WriteFile& /*file*/) const {
    return std::nullopt;
  }
  // Another operator writes it, as anyone does who has logged in.
  virtual void write(
      lab::Lab& /*lab*/,
      const NodeName& /*node*/,
      const std::string& /*path*/,
      const std::string& /*content*/) const {}
  // That operator does something else to a file that is there. What it becomes, and where a link
  // leads, is on the disk.
  virtual void edit(
      lab::Lab& /*lab*/,
      const NodeName& /*node*/,
      const std::string& /*path*/,
      FileEdit::How /*how*/) const {}
  // A link stands at the path.
  virtual bool is_link(
      lab::Lab& /*lab*/, const NodeName& /*node*/, const std::string& /*path*/) const {
    return false;
  }
  // May a run of fabric touch the file? `content` is what stands there now, if it is there;
  // `touched` are all files of the node that were touched.
  virtual bool may_touch(
      const std::string& /*path*/,
      const std::vector<std::string>& /*touched*/,
      const std::optional<std::string>& /*content*/) const {
    return true;
  }
  // A file that a power cut may take with it: a log, or what a service makes for itself.
  virtual bool may_be_lost(const std::string& /*path*/) const { return false; }
  // Read from the words of the command as they stand in the plan, whichever code made them. `kind`:
  // of its action.
  virtual std::optional<ShownEdit> shown_edit(
      std::string_view /*kind*/, const remote::Argv& /*command*/) const {
    return std::nullopt;
  }
};

// A row: how a machine of the platform is made in the lab, and how one is copied.
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
  // Null where it was not added.
  const SimulatedPlatform* find(Platform platform) const {
    const auto found = copiers_.find(platform);
    return found == copiers_.end() ? nullptr : found->second;
  }
  const std::map<Platform, lab::MachineMaker>& makers() const { return makers_; }

 private:
  std::map<Platform, lab::MachineMaker> makers_;
  std::map<Platform, const SimulatedPlatform*> copiers_;
};

}  // namespace fabric::rehearse
