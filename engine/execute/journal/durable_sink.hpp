// SPDX-License-Identifier: Apache-2.0
// DurableSink: lines of a journal in a file, each on the disk before anything that it announces is
// sent.
#pragma once

#include "engine/execute/journal/journal.hpp"

namespace fabric::execute {

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
