// SPDX-License-Identifier: Apache-2.0
// A file on the machine that fabric runs on, whose power may fail.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>

#include "engine/base/random.hpp"
#include "engine/execute/journal/journal.hpp"

namespace fabric::rehearse {

// Thrown where the machine that fabric runs on stops: it does nothing after this.
struct ControllerKilled final : std::exception {};

class SimulatedFile final : public execute::AppendFile {
 public:
  // `last`: the line at which the machine stops, before the line is on the disk; 0 = never.
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
  // True if all that was written would survive a power cut.
  bool is_durable() const { return durable_ == text_.size(); }
  // The content after a power cut: the synced text, and a random part of the rest.
  std::string after_power_cut(Random& random) const {
    return text_.substr(0, durable_ + random.below(text_.size() - durable_ + 1));
  }

 private:
  std::uint32_t left_;
  std::string text_;
  std::size_t durable_ = 0;
};

}  // namespace fabric::rehearse
