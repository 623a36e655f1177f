// SPDX-License-Identifier: Apache-2.0
// A lab that is served over real SSH by a thread of the test.
#pragma once

#include <atomic>
#include <filesystem>
#include <map>
#include <string>
#include <thread>

#include <unistd.h>

#include "engine/labserver/lab_service.hpp"
#include "engine/ssh/runner.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/simulated_lab.hpp"

namespace fabric::labserver {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "fabric-lab-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// A lab that is served by a thread until the end of the object.
class RunningLab {
 public:
  explicit RunningLab(FabricSpec fabric, Duration latency = Duration{0}, lab::LabSpec spec = {})
      : thread_{
            [this, fabric = std::move(fabric), latency, spec = test::simulated(std::move(spec))] {
              ServeOptions options;
              options.directory = directory();
              options.latency = latency;
              options.document = {"fabric.yaml"};
              served_ = serve(fabric, spec, options, clock_);
              has_ended_ = true;
            }} {
    Result<LabInfo> info = read_lab_info(directory());
    while (!info) {
      CHECK(info.error().code == ErrorCode::not_found);
      if (has_ended_) {
        thread_.join();
        FAIL("the lab did not start: " << (served_ ? "it was ended" : served_.error().message));
      }
      usleep(5'000);
      info = read_lab_info(directory());
    }
    info_ = *info;
  }
  ~RunningLab() { stop(); }
  RunningLab(const RunningLab&) = delete;
  RunningLab& operator=(const RunningLab&) = delete;

  void stop() {
    if (!thread_.joinable()) return;
    CHECK(request(directory(), Map{{"verb", "down"}}));
    thread_.join();
    CHECK(served_);
  }

  // Longer than the name of a socket may be.
  std::string directory() const { return folder_.path() + "/" + std::string(120, 'd') + "/lab"; }
  const LabInfo& info() const { return info_; }
  const SystemClock& clock() const { return clock_; }

  std::map<NodeName, ssh::Target> targets() const {
    std::map<NodeName, ssh::Target> targets;
    for (const auto& [node, address] : info_.addresses) {
      ssh::Target target;
      target.host = address;
      target.port = info_.port;
      target.user = "root";
      target.identity_files = {info_.identity_file};
      target.use_agent = false;
      targets.emplace(*NodeName::parse(node), target);
    }
    return targets;
  }
  ssh::Options options() const {
    ssh::Options options;
    options.config_file = "";
    options.known_hosts_files = {info_.known_hosts_file};
    return options;
  }

 private:
  TemporaryFolder folder_;
  SystemClock clock_;
  Result<void> served_;
  std::atomic<bool> has_ended_{false};
  LabInfo info_;
  std::thread thread_;
};

}  // namespace fabric::labserver
