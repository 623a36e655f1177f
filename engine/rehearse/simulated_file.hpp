// A file of the machine that fabric runs on, whose power may fail.
#pragma once

#include <cstddef>
#include <string_view>

#include "engine/execute/durable_sink.hpp"

namespace fabric::rehearse {

class SimulatedFile final : public execute::AppendFile {
 public:
  Result<void> write(std::string_view text) override {
    written_ += text.size();
    return {};
  }
  Result<void> sync() override {
    durable_ = written_;
    return {};
  }
  // Would all that was written survive?
  bool is_durable() const { return durable_ == written_; }

 private:
  std::size_t written_ = 0, durable_ = 0;
};

}  // namespace fabric::rehearse
