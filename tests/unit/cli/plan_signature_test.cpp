// SPDX-License-Identifier: Apache-2.0
#include "engine/cli/state/signing.hpp"
#include "engine/value/json.hpp"
#include "engine/value/signature.hpp"

#include "tests/support/catch.hpp"

namespace fabric::cli {

namespace {

// The keys of RFC 8032, section 7.1, tests 1 and 2.
constexpr const char* kPrivate = R"(-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g
-----END PRIVATE KEY-----
)";
constexpr const char* kPublic = R"(-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=
-----END PUBLIC KEY-----
)";
constexpr const char* kOther = R"(-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEAPUAXw+hDiVqStwqnTRt+vJyYLM8uxJaMwM1V8Sr0Zgw=
-----END PUBLIC KEY-----
)";
constexpr std::int64_t kNotAfter = 1'800'000'000;

plans::Plan plan_of(const std::string& fabric, const std::string& digest) {
  plans::Plan plan;
  plan.fabric = fabric;
  plan.digest = digest;
  return plan;
}

// A statement of any content, signed by the right key.
std::string signed_by_key(Map statement) {
  const std::string signature = *sign(to_json(Value{statement}), kPrivate);
  statement.emplace("signature", signature);
  return to_json_pretty(Value{std::move(statement)});
}

Map right() {
  return {
      {"purpose", "fabric plan"},
      {"digest", "sha256:1"},
      {"fabric", "ring"},
      {"not_after", kNotAfter}};
}

Error refusal(const std::string& file, std::int64_t now = kNotAfter, const char* keys = kPublic) {
  const auto checked = check_statement(file, keys, now);
  REQUIRE_FALSE(checked);
  return checked.error();
}

}  // namespace

TEST_CASE("a signed plan is that plan of that fabric, until its time is over", "[cli]") {
  const plans::Plan plan = plan_of("ring", "sha256:1");
  const auto file = sign_plan(plan, kNotAfter, kPrivate);
  REQUIRE(file);
  const auto statement = check_statement(*file, kPublic, kNotAfter);
  REQUIRE(statement);
  CHECK(check_is_of(*statement, plan));
  const auto other_plan = check_is_of(*statement, plan_of("ring", "sha256:2"));
  CHECK(other_plan.error().code == ErrorCode::forbidden);
  const auto other_fabric = check_is_of(*statement, plan_of("mesh", "sha256:1"));
  CHECK(
      other_fabric.error().message ==
      "the signature is for the fabric 'ring', and the plan is of 'mesh'");
  const Error over = refusal(*file, kNotAfter + 1);
  CHECK(over.code == ErrorCode::forbidden);
  CHECK(over.message.find("2027-01-15T08:00:00.000Z") != std::string::npos);
  CHECK(refusal(*file, kNotAfter, kOther).code == ErrorCode::forbidden);
  CHECK(check_statement(*file, std::string{kOther} + kPublic, kNotAfter));
  CHECK(refusal(*file, kNotAfter, "").code == ErrorCode::invalid);
}

TEST_CASE("a signature for another purpose is none for a plan", "[cli]") {
  REQUIRE(check_statement(signed_by_key(right()), kPublic, kNotAfter));
  Map other = right();
  other.insert_or_assign("purpose", "fabric release");
  CHECK(
      refusal(signed_by_key(other)).message ==
      "the signature is for 'fabric release', not for 'fabric plan'");
  // What an earlier fabric wrote: the plan's bytes alone.
  CHECK(refusal(*sign("{}", kPrivate)).code == ErrorCode::forbidden);
}

TEST_CASE("nothing of what is signed can be changed, left out or added", "[cli]") {
  const std::string file = signed_by_key(right());
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string text = file;
    text.replace(text.find(from), from.size(), to);
    return refusal(text);
  };
  CHECK(changed("sha256:1", "sha256:2").message == "the signature is by none of the trusted keys");
  CHECK(changed("ring", "mesh").message == "the signature is by none of the trusted keys");
  CHECK(
      changed("1800000000", "1900000000").message ==
      "the signature is by none of the trusted keys");
  CHECK(
      changed("fabric plan", "Fabric plan").message ==
      "the signature is by none of the trusted keys");
  for (const char* key : {"purpose", "digest", "fabric", "not_after"}) {
    CAPTURE(key);
    Map less = right();
    less.erase(key);
    CHECK(refusal(signed_by_key(less)).message.find(key) != std::string::npos);
  }
  Map more = right();
  more.emplace("only_node", "pve1");
  CHECK(refusal(signed_by_key(more)).message.find("only_node: unknown key") != std::string::npos);
  Map text = right();
  text.insert_or_assign("not_after", "never");
  CHECK(refusal(signed_by_key(text)).message.find("not_after") != std::string::npos);
}

TEST_CASE("what is no signature file is said to be none", "[cli]") {
  for (const std::string& text :
       {std::string{},
        std::string{"{}"},
        std::string{"[]"},
        std::string{"null"},
        std::string{"5VZDAMNgrHKQ"},
        std::string{"{\"signature\":1}"},
        std::string(100'000, '['),
        std::string{"{\"purpose\":\"fabric plan\",\"purpose\":\"fabric plan\"}"}}) {
    CAPTURE(text.substr(0, 100));
    CHECK(refusal(text).code == ErrorCode::forbidden);
  }
}

}  // namespace fabric::cli
