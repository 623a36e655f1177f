// SPDX-License-Identifier: Apache-2.0
// Diagnostics: what is wrong with the document, all at once, each with its place and its rule.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/node_name.hpp"
#include "engine/base/source.hpp"

namespace fabric {

enum class Severity : std::uint8_t { error, warning, info };
std::string_view to_string(Severity severity);

// A second place that the finding relates to: the other end of a cable, the first use of a port.
struct Note {
  SourceRange range;
  std::string message;
};

// What a finding is about: a node, an adapter or a port of it, or a network.
struct Subject {
  Subject() = default;
  // `of_node` is what `name` and '/' stand before: "cx5", "cx5/1".
  // NOLINTBEGIN(google-explicit-constructor): findings name a node where they are about it.
  Subject(std::string given, std::string of_node = {});
  Subject(const NodeName& node, std::string of_node = {});
  // NOLINTEND(google-explicit-constructor)

  static Subject parse(std::string_view text);
  std::string str() const;  // "pve1/cx5/1"

  std::string name;  // empty: of nothing that has a name
  std::string part;
  friend auto operator<=>(const Subject&, const Subject&) = default;
};

// What a provider saw of something that runs, for the rules that judge it further.
struct Fault {
  std::string_view kind{};           // a constant of its rule (engine/provider/bond_faults.hpp)
  Subject of{};                      // pve1/bond0
  std::vector<std::string> ports{};  // those of it that have the fault
};

struct Diagnostic {
  Severity severity = Severity::error;
  std::string rule;     // the slug: "chain-port-order"
  SourceRange range;    // file 0 where there is no line, e.g. a finding about a node
  std::string message;  // lower case, no final stop
  std::string help;     // what to do; empty if the message says it
  std::vector<Note> related;
  // Findings of one rule at one place that differ in it are shown to people once.
  Subject subject{};
  // The place of the finding that this one only follows from, as "has no port" from a mistyped
  // name; known only then. People see it counted there.
  SourceRange cause{};
  // `unknown-key`: the key that was meant. `missing-key`: the key that is missing.
  std::string key{};
  Fault fault{};

  Diagnostic& with_help(std::string text);
  Diagnostic& with_note(SourceRange place, std::string text);
  Diagnostic& about(Subject what);
  Diagnostic& with_key(std::string word);
  Diagnostic& with_fault(Fault what);
  Diagnostic& because_of(SourceRange place);
};

class Diagnostics {
 public:
  // The returned reference is valid until the next call.
  Diagnostic& error(std::string_view rule, SourceRange range, std::string message);
  Diagnostic& warning(std::string_view rule, SourceRange range, std::string message);
  Diagnostic& info(std::string_view rule, SourceRange range, std::string message);
  void add(Diagnostic diagnostic);
  void append(const Diagnostics& other);
  void append(Diagnostics&& other);

  // From now on at most so many are kept. Later findings are only counted: a text of a few
  // megabytes can have a million errors.
  void keep_at_most(std::size_t most) { most_ = most; }
  // Of the errors alone: a document without an error is valid, and all its other findings are kept.
  void keep_at_most_errors(std::size_t most) { most_errors_ = most; }
  // How many were counted and not kept.
  std::size_t dropped() const { return dropped_; }

  bool has_errors() const;
  bool empty() const { return items_.empty(); }
  std::size_t count(Severity severity) const;
  const std::vector<Diagnostic>& items() const { return items_; }
  // Null: there is none.
  const Diagnostic* first_error() const;
  // The findings that were kept; the others are counted.
  std::vector<Diagnostic> take_items();
  // By place, then rule, then message; exact repeats once.
  void sort();

 private:
  friend class About;
  Diagnostic& put(Severity severity, std::string_view rule, SourceRange range, std::string message);
  bool is_full(Severity severity);
  void count_dropped(const Diagnostics& other);

  std::vector<Diagnostic> items_;
  std::size_t most_ = SIZE_MAX;
  std::size_t most_errors_ = SIZE_MAX;
  std::size_t errors_ = 0;  // among the items
  std::size_t dropped_ = 0;
  bool dropped_error_ = false;
  Subject subject_;   // of what is found now (About)
  Diagnostic spare_;  // what put() returns of one that is not kept
};

// While it lives, findings are about its subject unless they say otherwise.
class About {
 public:
  About(Diagnostics& findings, Subject subject);
  ~About();
  About(const About&) = delete;
  About& operator=(const About&) = delete;

 private:
  Diagnostics& findings_;
  Subject outer_;
};

}  // namespace fabric
