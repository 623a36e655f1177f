// A file of the machine that fabric runs on, whose power may fail.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <string_view>

#include "engine/execute/journal/durable_sink.hpp"

namespace fabric::rehearse {

// Thrown where the machine that fabric runs on stops: nothing that it would have done comes after.
struct ControllerKilled final : std::exception {};

class SimulatedFile final : public execute::AppendFile {
 public:
  // `last`: the line with which it stops, before that is on the disk; 0 = it does not.
  explicit SimulatedFile(std::uint32_t last = 0) : left_{last} {}
  Result<void> write(std::string_view text) override {
    if (left_ > 0 && --left_ == 0) throw ControllerKilled{};
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
  std::uint32_t left_;
  std::size_t written_ = 0, durable_ = 0;
};

}  // namespace fabric::rehearse
