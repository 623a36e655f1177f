// SPDX-License-Identifier: Apache-2.0
// Diagnostics: all findings about the document at once, each with its place and its rule.
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

// The subject of a finding: a node, an adapter or a port of it, or a network.
struct Subject {
  Subject() = default;
  // `of_node` is what `name` and '/' stand before: "cx5", "cx5/1".
  // NOLINTBEGIN(google-explicit-constructor): findings name a node where they are about it.
  Subject(std::string given, std::string of_node = {});
  Subject(const NodeName& node, std::string of_node = {});
  // NOLINTEND(google-explicit-constructor)

  static Subject parse(std::string_view text);
  std::string str() const;  // "pve1/cx5/1"

  std::string name;  // empty: the subject has no name
  std::string part;
  friend auto operator<=>(const Subject&, const Subject&) = default;
};

// A fault of a running thing that a provider saw, for the rules that judge it further.
struct Fault {
  std::string_view kind{};           // a constant of its rule (engine/provider/bond_faults.hpp)
  Subject of{};                      // pve1/bond0
  std::vector<std::string> ports{};  // its ports with the fault
};

struct Diagnostic {
  Severity severity = Severity::error;
  std::string rule;     // the slug: "chain-port-order"
  SourceRange range;    // file 0 if there is no line, e.g. for a finding about a node
  std::string message;  // lower case, no final stop
  std::string help;     // the cure; empty if the message has it
  std::vector<Note> related;
  // Findings of one rule at one place that differ only in the subject are shown once.
  Subject subject{};
  // The place of the finding whose consequence this one is, as "has no port" of a mistyped name;
  // unknown if there is none. It is counted there for people.
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

  // Keeps at most so many findings from now on. Later findings are only counted: a text of a few
  // megabytes can have a million errors.
  void keep_at_most(std::size_t most) { most_ = most; }
  // As keep_at_most(), for errors: a document without one is valid, and keeps all other findings.
  void keep_at_most_errors(std::size_t most) { most_errors_ = most; }
  // The number of findings that were counted but not kept.
  std::size_t dropped() const { return dropped_; }

  bool has_errors() const;
  bool empty() const { return items_.empty(); }
  std::size_t count(Severity severity) const;
  const std::vector<Diagnostic>& items() const { return items_; }
  // Null if there is no error.
  const Diagnostic* first_error() const;
  // The findings that were kept; the others are counted.
  std::vector<Diagnostic> take_items();
  // Sorts by place, then rule, then message; keeps exact repeats once.
  void sort();

 private:
  friend class About;
  Diagnostic& put(Severity severity, std::string_view rule, SourceRange range, std::string message);
  bool is_full(Severity severity);
  void count_dropped(const Diagnostics& other);

  std::vector<Diagnostic> items_;
  std::size_t most_ = SIZE_MAX;
  std::size_t most_errors_ = SIZE_MAX;
  std::size_t errors_ = 0;  // number of errors among the items
  std::size_t dropped_ = 0;
  bool dropped_error_ = false;
  Subject subject_;   // subject of new findings (About)
  Diagnostic spare_;  // returned by put() for a finding that is not kept
};

// While it exists, findings have its subject unless they give another one.
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
