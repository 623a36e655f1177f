// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/parsers/nft_ruleset.hpp"

#include <algorithm>

#include "engine/value/json.hpp"

namespace fabric::providers {

namespace {

// The possible fates of a packet; several if rules may match or not.
struct Fates {
  bool accepted = false, dropped = false;
  bool returned = false;  // to the chain that called, or to the policy
  bool goes_on = false;   // with the next rule
};

enum class Fit { no, perhaps, yes };

// "eth*" is all that begins so.
bool names(std::string_view pattern, std::string_view interface) {
  if (pattern.ends_with('*')) return interface.starts_with(pattern.substr(0, pattern.size() - 1));
  return pattern == interface;
}

// The right side of a match: a text, a list, or {"set": [...]}; nothing where it is something else
// or a set with a name.
std::optional<std::vector<std::string>> texts_of(const Value& right) {
  const Value* set = right.find("set");
  const Value& value = set == nullptr ? right : *set;
  if (const std::string* text = value.as_string())
    return text->starts_with('@') ? std::nullopt : std::optional{std::vector{*text}};
  const List* list = value.as_list();
  if (list == nullptr) return std::nullopt;
  std::vector<std::string> texts;
  for (const Value& each : *list) {
    if (each.as_string() == nullptr) return std::nullopt;
    texts.push_back(*each.as_string());
  }
  return texts;
}

class Packet {
 public:
  Packet(const NftRuleset& rules, std::string_view in, std::string_view out)
      : rules_(rules), in_(in), out_(out) {}

  // NOLINTBEGIN(misc-no-recursion): the kernel refuses chains that call each other in a circle, and
  // more than 16 calls deep (NFT_JUMP_STACK_SIZE); here it ends there as well.
  Fates pass(const NftChain& chain, int depth = 0) const {
    constexpr int kDeepest = 16;
    if (depth > kDeepest) return kAny;
    Fates fates;
    for (const List& rule : chain.rules) {
      const Fates by_rule = follow(rule, chain, depth);
      fates.accepted = fates.accepted || by_rule.accepted;
      fates.dropped = fates.dropped || by_rule.dropped;
      fates.returned = fates.returned || by_rule.returned;
      if (!by_rule.goes_on) return fates;
    }
    fates.returned = true;
    return fates;
  }

 private:
  static constexpr Fates kAny{true, true, true, true};

  Fates follow(const List& rule, const NftChain& chain, int depth) const {
    Fit fit = Fit::yes;
    for (const Value& expression : rule) {
      fit = std::min(fit, fits(expression));
      if (fit == Fit::no) break;
      if (std::optional<Fates> verdict = decide(expression, chain, depth)) {
        verdict->goes_on = verdict->goes_on || fit == Fit::perhaps;
        return *verdict;
      }
    }
    return Fates{.goes_on = true};
  }

  std::optional<Fates> decide(const Value& expression, const NftChain& chain, int depth) const {
    const auto is = [&expression](std::string_view name) {
      return expression.find(name) != nullptr;
    };
    // A target of iptables that nftables has no words for.
    const Value* target = expression.find("xt");
    const std::string xt =
        target != nullptr && is_target(*target) ? target->string_or_empty("name") : "";
    if (is("accept")) return Fates{.accepted = true};
    if (is("drop") || is("reject") || xt == "DROP" || xt == "REJECT") return Fates{.dropped = true};
    if (is("return")) return Fates{.returned = true};
    if (is("vmap") || is("queue")) return kAny;
    const Value* call = expression.find(is("jump") ? "jump" : "goto");
    if (call == nullptr) return std::nullopt;
    const NftChain* called =
        rules_.find(chain.family, chain.table, call->string_or_empty("target"));
    if (called == nullptr) return kAny;
    Fates fates = pass(*called, depth + 1);
    if (is("jump")) std::swap(fates.returned, fates.goes_on);
    return fates;
  }
  // NOLINTEND(misc-no-recursion)

  static bool is_target(const Value& xt) { return xt.string_or_empty("type") == "target"; }

  Fit fits(const Value& expression) const {
    if (const Value* other = expression.find("xt"))
      return is_target(*other) ? Fit::yes : Fit::perhaps;
    const Value* match = expression.find("match");
    if (match == nullptr) return Fit::yes;
    const Value* left = match->find("left");
    const Value* right = match->find("right");
    const auto texts = right == nullptr ? std::nullopt : texts_of(*right);
    if (left == nullptr || !texts) return Fit::perhaps;
    bool found = false;
    const Value* meta = left->find("meta");
    const Value* connection = left->find("ct");
    const std::string key = meta == nullptr ? "" : meta->string_or_empty("key");
    if (key == "iifname" || key == "iif" || key == "oifname" || key == "oif") {
      const std::string_view interface = key.starts_with('i') ? in_ : out_;
      found = std::any_of(texts->begin(), texts->end(), [&](const std::string& each) {
        return names(each, interface);
      });
    } else if (connection != nullptr && connection->string_or_empty("key") == "state") {
      found = std::find(texts->begin(), texts->end(), "new") != texts->end();
    } else {
      return Fit::perhaps;
    }
    return found != (match->string_or_empty("op") == "!=") ? Fit::yes : Fit::no;
  }

  const NftRuleset& rules_;
  std::string_view in_, out_;
};

}  // namespace

const NftChain* NftRuleset::find(
    std::string_view family, std::string_view table, std::string_view name) const {
  const auto found = std::ranges::find_if(chains, [&](const NftChain& each) {
    return each.family == family && each.table == table && each.name == name;
  });
  return found == chains.end() ? nullptr : &*found;
}

NftRuleset parse_nft_ruleset(std::string_view text) {
  NftRuleset rules;
  const Result<Value> document = parse_json(text);
  const Value* all = document ? document->find("nftables") : nullptr;
  if (all == nullptr || all->as_list() == nullptr) return rules;
  for (const Value& each : *all->as_list()) {
    if (const Value* chain = each.find("chain")) {
      rules.chains.push_back(
          {chain->string_or_empty("family"),
           chain->string_or_empty("table"),
           chain->string_or_empty("name"),
           chain->string_or_empty("hook") == "forward",
           chain->string_or_empty("policy") == "drop",
           {}});
    }
  }
  for (const Value& each : *all->as_list()) {
    const Value* rule = each.find("rule");
    const Value* expressions = rule == nullptr ? nullptr : rule->find("expr");
    if (expressions == nullptr || expressions->as_list() == nullptr) continue;
    const auto chain = std::ranges::find_if(rules.chains, [&](const NftChain& one) {
      return one.family == rule->string_or_empty("family") &&
             one.table == rule->string_or_empty("table") &&
             one.name == rule->string_or_empty("chain");
    });
    if (chain != rules.chains.end()) chain->rules.push_back(*expressions->as_list());
  }
  return rules;
}

const NftChain* drops_forwarded(
    const NftRuleset& rules, std::string_view comes_in_by, std::string_view goes_out_by) {
  const Packet packet{rules, comes_in_by, goes_out_by};
  for (const NftChain& chain : rules.chains) {
    const bool sees_ipv4 = chain.family == "ip" || chain.family == "inet";
    if (!chain.filters_forwarded || !sees_ipv4) continue;
    const Fates fates = packet.pass(chain);
    const bool may_pass = fates.accepted || (fates.returned && !chain.drops);
    if (!may_pass) return &chain;
  }
  return nullptr;
}

}  // namespace fabric::providers
