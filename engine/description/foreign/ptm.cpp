// SPDX-License-Identifier: Apache-2.0
// The topology of Cumulus' PTM and of NVIDIA Air: a DOT graph whose edges name ports,
// "leaf01":"swp51" -- "spine01":"swp1". Of DOT that is all that PTM reads.
#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/description/foreign/cabling.hpp"
#include "engine/description/foreign/formats.hpp"
#include "engine/description/foreign/reading.hpp"

namespace fabric::description {

namespace {

struct Token {
  enum class Kind : std::uint8_t { end, word, sign, edge };
  Kind kind = Kind::end;
  std::string_view text;
  bool quoted = false;
  std::size_t line = 1;
};

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
}

bool is_edge(std::string_view rest) {
  return rest.starts_with("--") || rest.starts_with("->");
}

// The word that begins at `begin`. A name may have single dashes in it.
std::string_view word_at(std::string_view text, std::size_t begin) {
  std::size_t end = begin;
  while (end < text.size() &&
         (is_word(text[end]) || (text[end] == '-' && !is_edge(text.substr(end)))))
    ++end;
  return text.substr(begin, end - begin);
}

// The text between quotes, the first of which is at `begin`.
Result<std::string_view> quoted_at(std::string_view text, std::size_t begin, std::size_t line) {
  const std::size_t end = text.find('"', begin + 1);
  if (end == std::string_view::npos) return refusal(line, "a quote begins here and does not end");
  const std::string_view body = text.substr(begin + 1, end - begin - 1);
  if (body.find('\n') != std::string_view::npos)
    return refusal(line, "a quote begins here and does not end on its line");
  return body;
}

// The comment that begins at `begin`, with the signs around it.
Result<std::string_view> comment_at(std::string_view text, std::size_t begin, std::size_t line) {
  const std::size_t end = text.find("*/", begin + 2);
  if (end == std::string_view::npos) return refusal(line, "a comment begins here and does not end");
  return text.substr(begin, end + 2 - begin);
}

// Gives one token at a time: all at once would be many times the text.
class Tokens {
 public:
  explicit Tokens(std::string_view text) : text_{text} {}

  Result<Token> next() {
    FABRIC_TRY(skip_blanks());
    const std::string_view rest = text_.substr(at_);
    Token token{Token::Kind::end, "", false, line_};
    if (rest.empty()) return token;
    const char c = rest.front();
    std::size_t length = 1;
    if (is_edge(rest)) {
      token.kind = Token::Kind::edge;
      length = 2;
      token.text = rest.substr(0, length);
    } else if (c == '"') {
      token.kind = Token::Kind::word;
      token.quoted = true;
      token.text = FABRIC_TRY(quoted_at(text_, at_, line_));
      length = token.text.size() + 2;
    } else if (is_word(c)) {
      token.kind = Token::Kind::word;
      token.text = word_at(text_, at_);
      length = token.text.size();
    } else if (std::string_view{"{}[]:;,="}.find(c) != std::string_view::npos) {
      token.kind = Token::Kind::sign;
      token.text = rest.substr(0, length);
    } else {
      return refusal(line_, "a character that is no part of such a graph");
    }
    at_ += length;
    return token;
  }

 private:
  Result<void> skip_blanks() {
    while (at_ < text_.size()) {
      const std::string_view rest = text_.substr(at_);
      if (rest.front() == '#' || rest.starts_with("//")) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (rest.starts_with("/*")) {
        const std::string_view comment = FABRIC_TRY(comment_at(text_, at_, line_));
        line_ += static_cast<std::size_t>(std::count(comment.begin(), comment.end(), '\n'));
        at_ += comment.size();
      } else if (std::isspace(static_cast<unsigned char>(rest.front())) != 0) {
        if (rest.front() == '\n') ++line_;
        ++at_;
      } else {
        break;
      }
    }
    return {};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
};

class Graph {
 public:
  Graph(std::string_view text, Cabling& cabling) : tokens_{text}, cabling_{cabling} {}

  Result<void> read() {
    FABRIC_TRY(step());
    bool is_graph = false;
    while (is_word("strict") || is_word("graph") || is_word("digraph")) {
      is_graph = true;
      FABRIC_TRY(step());
    }
    if (!is_graph) return refusal(next_.line, "expected 'graph NAME {'");
    if (next_.kind == Token::Kind::word) FABRIC_TRY(step());
    if (!FABRIC_TRY(take_sign("{"))) return refusal(next_.line, "expected '{'");
    while (!FABRIC_TRY(take_sign("}"))) {
      if (next_.kind == Token::Kind::end) return refusal(next_.line, "the graph has no '}'");
      if (FABRIC_TRY(take_sign(";"))) continue;
      FABRIC_TRY(read_statement());
    }
    // The text after the graph is read only to check it.
    while (next_.kind != Token::Kind::end)
      FABRIC_TRY(step());
    return {};
  }

 private:
  Result<void> step() {
    next_ = FABRIC_TRY(tokens_.next());
    return {};
  }
  Result<bool> take_sign(std::string_view sign) {
    if (next_.kind != Token::Kind::sign || next_.text != sign) return false;
    FABRIC_TRY(step());
    return true;
  }
  bool is_word(std::string_view word) const {
    return next_.kind == Token::Kind::word && !next_.quoted && next_.text == word;
  }

  Result<std::string> word(const char* what) {
    if (next_.kind != Token::Kind::word || next_.text.empty())
      return refusal(next_.line, fmt::format("expected {}", what));
    std::string text{next_.text};
    FABRIC_TRY(step());
    return text;
  }

  // The attributes that tell the kind of a device; others are ignored.
  struct Attributes {
    std::string function, os;
  };
  Result<Attributes> read_attributes() {
    Attributes found;
    while (FABRIC_TRY(take_sign("["))) {
      while (!FABRIC_TRY(take_sign("]"))) {
        if (FABRIC_TRY(take_sign(",")) || FABRIC_TRY(take_sign(";"))) continue;
        const std::string key = FABRIC_TRY(word("an attribute or ']'"));
        if (!FABRIC_TRY(take_sign("="))) continue;
        std::string value = FABRIC_TRY(word("the value of the attribute"));
        if (key == "function") found.function = to_lower(value);
        if (key == "os") found.os = to_lower(value);
      }
    }
    return found;
  }

  // Behind the device of an end; "" where no port is named.
  Result<std::string> read_port() {
    if (!FABRIC_TRY(take_sign(":"))) return std::string{};
    return word("a port");
  }

  // Reads the edges from the first end of a statement on, from end to end. False: there are none.
  Result<bool> read_edges(ForeignEnd from, std::size_t line) {
    bool has_edge = false;
    while (next_.kind == Token::Kind::edge) {
      FABRIC_TRY(step());
      has_edge = true;
      ForeignEnd to{FABRIC_TRY(word("a device")), ""};
      to.port = FABRIC_TRY(read_port());
      if (from.port.empty() || to.port.empty())
        return refusal(line, "an edge has to name the port at both ends, as \"leaf01\":\"swp1\"");
      FABRIC_TRY(cabling_.add({from, to, {}, {}, {}, {}, line}));
      from = to;
    }
    return has_edge;
  }

  Result<void> read_statement() {
    const std::size_t line = next_.line;
    const bool is_default =
        !next_.quoted && (next_.text == "graph" || next_.text == "node" || next_.text == "edge");
    const std::string first = FABRIC_TRY(word("a device"));
    if (!is_default && first == "subgraph")
      return refusal(line, "a subgraph is no part of a PTM topology");
    if (FABRIC_TRY(take_sign("="))) {
      FABRIC_TRY(word("a value"));
      return {};
    }
    ForeignEnd from{first, ""};
    from.port = FABRIC_TRY(read_port());
    const bool has_edge = FABRIC_TRY(read_edges(from, line));
    const Attributes attributes = FABRIC_TRY(read_attributes());
    if (has_edge || is_default) return {};
    ForeignDevice* device = FABRIC_TRY(cabling_.device(first, line));
    describe_device(*device, attributes);
    return {};
  }

  static void describe_device(ForeignDevice& device, const Attributes& says) {
    // The function says more than the system: there are hosts with one of a switch.
    if (!says.function.empty()) {
      device.is_switch =
          says.function != "host" && says.function != "server" && says.function != "oob-server";
    } else if (!says.os.empty()) {
      device.is_switch = says.os.find("cumulus") != std::string::npos ||
                         says.os.find("sonic") != std::string::npos;
    }
  }

  Tokens tokens_;
  Token next_;
  Cabling& cabling_;
};

}  // namespace

Result<Description> parse_ptm(std::string_view text) {
  const Cabling cabling = FABRIC_TRY(cabling_of([text](Cabling& into) {
    return Graph{text, into}.read();
  }));
  return described(cabling, "ethernet");
}

}  // namespace fabric::description
