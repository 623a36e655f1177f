// SPDX-License-Identifier: Apache-2.0
// ForeignWatch: checks that only those bytes of a foreign file change that a plan showed, and that
// all bytes that a plan removes are kept.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/lab/lab.hpp"
#include "engine/rehearse/platform/simulated_platform.hpp"
#include "plans/plan.hpp"

namespace fabric::rehearse {

class ForeignWatch {
 public:
  // All arguments must outlive this.
  ForeignWatch(
      lab::Lab& lab, const SimulatedPlatforms& simulated, std::vector<std::string>& violations)
      : lab_{lab}, simulated_{simulated}, violations_{violations} {}

  // Notes the file as its owner left it.
  void left(const NodeName& node, const std::string& path);
  // Notes the plan's work on such files.
  void shown(const plans::Plan& plan);
  void look() const;
  bool knows(const NodeName& node, const std::string& path) const {
    return left_.contains({node, path});
  }

 private:
  using File = std::pair<NodeName, std::string>;
  // The changes that plans showed for one content of a file, by its digest.
  struct Shown {
    std::set<std::string> lines;    // lines that may be commented out
    std::set<std::string> kept_as;  // copies of it when it is taken away
  };
  // A file as its owner left it, without fabric's marks.
  struct Left {
    std::optional<std::string> text;         // nullopt: removed
    std::optional<std::string> before;       // the content that was removed
    std::set<std::string, std::less<>> out;  // lines that were commented out already
  };
  std::string judge(const File& file, const Left& left) const;
  bool is_kept(const File& file, const std::string& was, const Shown& shown) const;

  lab::Lab& lab_;
  const SimulatedPlatforms& simulated_;
  std::vector<std::string>& violations_;
  std::map<File, Left> left_;
  std::map<std::pair<File, std::string>, Shown> shown_;
};

}  // namespace fabric::rehearse
