// SPDX-License-Identifier: Apache-2.0
// Findings: diagnostics of expanded input. A node set of 1,000 members with one mistake in it is
// one mistake at one place, not 1,000; people see it once (report/diagnostics/grouping).
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "engine/base/diagnostic.hpp"

namespace fabric {

class Findings {
 public:
  // Keeps 10,000 findings of one rule at one place, and counts the rest. The returned reference,
  // for help and notes, is valid until the next call.
  Diagnostic& error(std::string_view rule, SourceRange range, std::string message);
  Diagnostic& warning(std::string_view rule, SourceRange range, std::string message);

  void add(Diagnostic finding) { put(std::move(finding)); }
  // From now on findings are about it unless they say otherwise.
  void set_subject(Subject subject) { subject_ = std::move(subject); }

  // Makes later findings about `node` consequences of the one at `cause`; the first cause stays.
  void blame(const std::string& node, SourceRange cause) { causes_.emplace(node, cause); }
  // The place for Diagnostic::because_of; unknown if nothing is to blame.
  SourceRange cause_of(const std::string& node) const;

  // "did you mean 'x'?", or "" if nothing is near. Gives up after some hundred words, for a
  // document with thousands of wrong names is compared with thousands of right ones.
  std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

  // To be called before `values` more values are made of the text at `place`. False, with a
  // finding, if the document would come to more than limits::kExpandedValues; then they do not
  // count.
  bool may_expand(std::size_t values, SourceRange place);

  // All findings so far; the last of a group says how many more there were.
  Diagnostics take();

 private:
  struct Group {
    std::unordered_set<std::string> messages;
    std::size_t last = 0;  // index in items_ of the last one that is kept
    std::size_t more = 0;
  };

  Diagnostic& put(Diagnostic finding);

  Subject subject_;
  std::vector<Diagnostic> items_;
  std::map<std::pair<SourceRange, std::string>, Group> groups_;
  Diagnostic discarded_;
  std::map<std::string, SourceRange> causes_;  // causes by node
  std::size_t suggestions_ = 0;
  std::map<std::string, std::string, std::less<>> meant_;  // "laef" of "leaf", by what is written
  // The same word again costs nothing: a model misspelt in the lines of 1,000 nodes.
  std::string last_word_, last_meant_;
  std::size_t last_candidates_ = 0;
  std::size_t expanded_ = 0;
};

}  // namespace fabric
