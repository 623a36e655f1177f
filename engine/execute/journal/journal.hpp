// SPDX-License-Identifier: Apache-2.0
// Journal: one JSON line per event, on disk before the announced step is sent.
#pragma once

#include <string>
#include <string_view>

#include "engine/base/clock.hpp"
#include "engine/base/result.hpp"
#include "engine/execute/action/observer.hpp"

namespace fabric::execute {

// The receiver of lines; the real one appends to a file and calls fsync.
class JournalSink {
 public:
  virtual ~JournalSink() = default;
  // `line` without its end. Returns only when the line is durable.
  virtual Result<void> append(std::string_view line) = 0;
};

class Journal final : public ExecutionObserver {
 public:
  // The arguments must outlive this object.
  Journal(JournalSink& sink, const Clock& clock);
  void run_started(const plans::Plan& plan, const std::string& run) override;
  void wave_started(const plans::Wave& wave) override;
  void action_started(const plans::Action& action) override;
  void action_phase(const plans::Action& action, const std::string& phase) override;
  void action_put_off(
      const plans::Action& action, const std::string& said, Duration waited) override;
  void action_ended(const plans::Action& action, const ActionResult& result) override;
  void run_ended(const std::vector<ActionResult>& results) override;
  // The first failure to write; the run must stop on it.
  const Result<void>& health() const { return health_; }

 private:
  void put(Map event);
  JournalSink& sink_;
  const Clock& clock_;
  Result<void> health_;
};

// DurableSink: lines of a journal in a file, each on the disk before anything that it announces is
// sent.
// A file that only grows. Written text may be lost in a power cut until sync() has returned.
class AppendFile {
 public:
  virtual ~AppendFile() = default;
  virtual Result<void> write(std::string_view text) = 0;
  virtual Result<void> sync() = 0;
};

class DurableSink final : public JournalSink {
 public:
  // `file` must outlive this.
  explicit DurableSink(AppendFile& file) : file_{file} {}
  Result<void> append(std::string_view line) override;

 private:
  AppendFile& file_;
};

}  // namespace fabric::execute
