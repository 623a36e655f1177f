// SPDX-License-Identifier: Apache-2.0
// One subnet manager, its port on the node, and its files as they are and as they are to be.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/model/resource.hpp"
#include "engine/platform/owned_file.hpp"
#include "engine/provider/observation.hpp"
#include "providers/cards/find_card.hpp"
#include "providers/linux/kinds/subnet_manager/manager_files.hpp"
#include "providers/linux/kinds/subnet_manager/manager_state.hpp"

namespace fabric::providers {

// The attributes of a manager in its files, as they lie there or as it was started with them.

struct ManagerTexts {
  std::string options, partitions, roots, io;
};
// Of every attribute that the resource desires, but `manages`. `expected`: the files as they are to
// be, empty where they can't be made. A list that is as expected reads as the desired value.
std::map<std::string, Reading, std::less<>> read_manager(
    const Resource& resource, const ManagerTexts& found, const ManagerTexts& expected);

class ManagerOnPort {
 public:
  // All of them outlive this.
  ManagerOnPort(
      const Resource& resource, const std::vector<Card>& cards, const ManagerState& state);

  const ManagerPaths& paths() const { return paths_; }
  const ManagerState& state() const { return state_; }
  // Fails, saying why, if the port or a GUID that the files need is not known.
  const Result<std::map<std::string, std::string>>& files() const { return files_; }
  // The port whose GUID the files need and that is unknown, in the words of an error; "" if there
  // is none.
  std::string missing_guid() const;
  // Null: not there, or not InfiniBand (yet).
  const InfinibandPort* port() const { return port_; }
  const std::optional<Guid>& guid() const { return guid_; }

  // Where OpenSM has such files: what lies there, and what it was started with.
  ManagerTexts lying() const;
  ManagerTexts started_with() const;
  ManagerTexts expected() const;
  // Unit, rule and the guard before the distribution's service are as they are to be.
  bool is_installed() const;
  // Of the manager on the port: true as master or standby.
  Reading manages() const;

 private:
  std::string file(const std::string& path) const;

  const ManagerState& state_;
  ResourceAddress address_;
  ManagerPaths paths_;
  const InfinibandPort* port_ = nullptr;
  std::optional<Guid> guid_;
  Result<std::map<std::string, std::string>> files_;
};

}  // namespace fabric::providers
