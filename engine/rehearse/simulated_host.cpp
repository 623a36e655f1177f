// SPDX-License-Identifier: Apache-2.0
#include "engine/rehearse/simulated_host.hpp"

namespace fabric::rehearse {

namespace {

constexpr const char* kThere = "there";

class Record final : public workflow::OpenRun {
 public:
  Record(
      InvariantMonitor& monitor,
      std::function<bool()> interrupted,
      std::shared_ptr<SimulatedFile> file)
      : monitor_{monitor}, interrupted_{std::move(interrupted)}, file_{std::move(file)} {
    monitor_.set_journal(file_.get());
  }
  ~Record() override { monitor_.set_journal(nullptr); }
  Record(const Record&) = delete;
  Record& operator=(const Record&) = delete;
  execute::AppendFile& journal() override { return *file_; }
  bool interrupted() override { return interrupted_ && interrupted_(); }

 private:
  InvariantMonitor& monitor_;
  std::function<bool()> interrupted_;
  std::shared_ptr<SimulatedFile> file_;
};

}  // namespace

execute::LeaseHolder SimulatedHost::holder(const std::string& run) {
  return {run, "simulation", desk_ == Desk::here ? "here" : kThere, run};
}

bool SimulatedHost::has_ended(const execute::LeaseHolder& holder) {
  const bool is_there = holder.place == kThere;
  return holder.run != run_ && is_there == (desk_ == Desk::there);
}

Result<std::unique_ptr<workflow::OpenRun>> SimulatedHost::begin_run(
    const std::string& /*run*/, const plans::Plan& /*plan*/) {
  journal_ = std::make_shared<SimulatedFile>(killed_at_);
  return std::unique_ptr<workflow::OpenRun>{
      std::make_unique<Record>(monitor_, interrupted_, journal_)};
}

}  // namespace fabric::rehearse
