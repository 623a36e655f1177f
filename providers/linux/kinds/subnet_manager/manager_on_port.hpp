// SPDX-License-Identifier: Apache-2.0
// One subnet manager, its port on the node, and its files as found and as expected.
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

// The files of a manager: as they are on disk, or as the manager was started with them.

struct ManagerTexts {
  std::string options, partitions, roots, io;
};
// Reads each desired attribute but `manages`. `expected`: the files as they should be, empty where
// they can't be made. A list that equals the expected one reads as the desired value.
std::map<std::string, Reading, std::less<>> read_manager(
    const Resource& resource, const ManagerTexts& found, const ManagerTexts& expected);

class ManagerOnPort {
 public:
  // All arguments must outlive this.
  ManagerOnPort(
      const Resource& resource, const std::vector<Card>& cards, const ManagerState& state);

  const ManagerPaths& paths() const { return paths_; }
  const ManagerState& state() const { return state_; }
  // The expected files. Fails, saying why, if the port or a GUID that the files need is not known.
  const Result<std::map<std::string, std::string>>& files() const { return files_; }
  // The port whose GUID the files need and that is unknown, as words of an error; "" if there is
  // none.
  std::string missing_guid() const;
  // Null: the port does not exist, or is not InfiniBand (yet).
  const InfinibandPort* port() const { return port_; }
  const std::optional<Guid>& guid() const { return guid_; }

  // The manager's files on disk, and those that it was started with.
  ManagerTexts lying() const;
  ManagerTexts started_with() const;
  ManagerTexts expected() const;
  // True if the unit, the rule and the guard against the distribution's service are as expected.
  bool is_installed() const;
  // Whether the manager on the port manages the subnet: true as master or standby.
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
