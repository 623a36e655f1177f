// SPDX-License-Identifier: Apache-2.0
// A file of the machine that fabric runs on, whose power may fail.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>

#include "engine/base/random.hpp"
#include "engine/execute/journal/durable_sink.hpp"

namespace fabric::rehearse {

// Thrown where the machine that fabric runs on stops: nothing that it would have done comes after.
struct ControllerKilled final : std::exception {};

class SimulatedFile final : public execute::AppendFile {
 public:
  // `last`: the line with which it stops, before that is on the disk; 0 = it does not.
  explicit SimulatedFile(std::uint32_t last = 0) : left_{last} {}
  Result<void> write(std::string_view text) override {
    text_ += text;
    if (left_ > 0 && --left_ == 0) throw ControllerKilled{};
    return {};
  }
  Result<void> sync() override {
    durable_ = text_.size();
    return {};
  }
  // Would all that was written survive?
  bool is_durable() const { return durable_ == text_.size(); }
  // What of it is there when the power is back: what was synced, and of the rest as much as the
  // disk happened to have.
  std::string after_power_cut(Random& random) const {
    return text_.substr(0, durable_ + random.below(text_.size() - durable_ + 1));
  }

 private:
  std::uint32_t left_;
  std::string text_;
  std::size_t durable_ = 0;
};

}  // namespace fabric::rehearse
