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
  std::string text;
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

// What stands in the quotes of which the first is at `begin`.
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

Result<std::vector<Token>> tokens_of(std::string_view text) {
  std::vector<Token> tokens;
  std::size_t line = 1;
  for (std::size_t i = 0; i < text.size();) {
    const std::string_view rest = text.substr(i);
    const char c = rest.front();
    if (c == '\n') ++line;
    const bool is_comment = c == '#' || rest.starts_with("//");
    if (is_comment) {
      i = std::min(text.find('\n', i), text.size());
    } else if (rest.starts_with("/*")) {
      const std::string_view comment = FABRIC_TRY(comment_at(text, i, line));
      line += static_cast<std::size_t>(std::count(comment.begin(), comment.end(), '\n'));
      i += comment.size();
    } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      ++i;
    } else if (is_edge(rest)) {
      tokens.push_back({Token::Kind::edge, std::string{rest.substr(0, 2)}, false, line});
      i += 2;
    } else if (c == '"') {
      const std::string_view body = FABRIC_TRY(quoted_at(text, i, line));
      tokens.push_back({Token::Kind::word, std::string{body}, true, line});
      i += body.size() + 2;
    } else if (is_word(c)) {
      const std::string_view word = word_at(text, i);
      tokens.push_back({Token::Kind::word, std::string{word}, false, line});
      i += word.size();
    } else if (std::string_view{"{}[]:;,="}.find(c) != std::string_view::npos) {
      tokens.push_back({Token::Kind::sign, std::string{c}, false, line});
      ++i;
    } else {
      return refusal(line, "a character that is no part of such a graph");
    }
  }
  tokens.push_back({Token::Kind::end, "", false, line});
  return tokens;
}

class Graph {
 public:
  explicit Graph(std::vector<Token> tokens) : tokens_{std::move(tokens)} {}

  Result<Cabling> read() {
    while (take_word("strict") || take_word("graph") || take_word("digraph")) {
    }
    if (at_ == 0) return refusal(next().line, "expected 'graph NAME {'");
    if (next().kind == Token::Kind::word) ++at_;
    if (!take_sign("{")) return refusal(next().line, "expected '{'");
    while (!take_sign("}")) {
      if (next().kind == Token::Kind::end) return refusal(next().line, "the graph has no '}'");
      if (take_sign(";")) continue;
      FABRIC_TRY(read_statement());
    }
    return std::move(cabling_);
  }

 private:
  const Token& next() const { return tokens_[at_]; }
  bool take_sign(std::string_view sign) {
    if (next().kind != Token::Kind::sign || next().text != sign) return false;
    ++at_;
    return true;
  }
  bool take_word(std::string_view word) {
    if (next().kind != Token::Kind::word || next().quoted || next().text != word) return false;
    ++at_;
    return true;
  }

  Result<std::string> word(const char* what) {
    if (next().kind != Token::Kind::word || next().text.empty())
      return refusal(next().line, fmt::format("expected {}", what));
    return tokens_[at_++].text;
  }

  Result<std::map<std::string, std::string>> read_attributes() {
    std::map<std::string, std::string> found;
    while (take_sign("[")) {
      while (!take_sign("]")) {
        if (take_sign(",") || take_sign(";")) continue;
        const std::string key = FABRIC_TRY(word("an attribute or ']'"));
        if (take_sign("=")) found[key] = FABRIC_TRY(word("the value of the attribute"));
      }
    }
    return found;
  }

  // Behind the device of an end; "" where no port is named.
  Result<std::string> read_port() {
    if (!take_sign(":")) return std::string{};
    return word("a port");
  }

  // Behind the first end of a statement, from which they lead from end to end. False: there is
  // none.
  Result<bool> read_edges(ForeignEnd from, std::size_t line) {
    bool has_edge = false;
    while (next().kind == Token::Kind::edge) {
      ++at_;
      has_edge = true;
      ForeignEnd to{FABRIC_TRY(word("a device")), ""};
      to.port = FABRIC_TRY(read_port());
      if (from.port.empty() || to.port.empty())
        return refusal(line, "an edge has to name the port at both ends, as \"leaf01\":\"swp1\"");
      cabling_.cables.push_back({from, to, {}, {}, {}, {}, line});
      from = to;
    }
    return has_edge;
  }

  Result<void> read_statement() {
    const std::size_t line = next().line;
    const bool is_default = !next().quoted && (next().text == "graph" || next().text == "node" ||
                                               next().text == "edge");
    const std::string first = FABRIC_TRY(word("a device"));
    if (!is_default && first == "subgraph")
      return refusal(line, "a subgraph is no part of a PTM topology");
    if (take_sign("=")) {
      FABRIC_TRY(word("a value"));
      return {};
    }
    ForeignEnd from{first, ""};
    from.port = FABRIC_TRY(read_port());
    const bool has_edge = FABRIC_TRY(read_edges(from, line));
    const std::map<std::string, std::string> attributes = FABRIC_TRY(read_attributes());
    if (!has_edge && !is_default) describe_device(first, attributes);
    return {};
  }

  void describe_device(
      const std::string& name, const std::map<std::string, std::string>& attributes) {
    ForeignDevice& device = cabling_.devices[name];
    const auto function = attributes.find("function");
    const auto system = attributes.find("os");
    const std::string kind = function == attributes.end() ? "" : to_lower(function->second);
    const std::string os = system == attributes.end() ? "" : to_lower(system->second);
    // The function says more than the system: there are hosts with one of a switch.
    if (!kind.empty()) {
      device.is_switch = kind != "host" && kind != "server" && kind != "oob-server";
    } else if (!os.empty()) {
      device.is_switch =
          os.find("cumulus") != std::string::npos || os.find("sonic") != std::string::npos;
    }
  }

  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  Cabling cabling_;
};

}  // namespace

Result<Description> parse_ptm(std::string_view text) {
  Graph graph{FABRIC_TRY(tokens_of(text))};
  const Cabling cabling = FABRIC_TRY(graph.read());
  return described(cabling, "ethernet");
}

}  // namespace fabric::description
