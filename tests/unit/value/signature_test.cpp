#include "engine/value/signature.hpp"

#include "tests/support/catch.hpp"

using namespace fabric;

namespace {

// The keys of RFC 8032, section 7.1, tests 1 and 2, as OpenSSL writes them.
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
// Of the empty text, by test 1.
constexpr const char* kOfNothing =
    "5VZDAMNgrHKQhuLMgG6CioSHfx645dl02HPgZSJJAVVfuIIVkKM7rMYeOXAc+bRr0lv18FlbviRlUUFDjnoQCw==";

}  // namespace

TEST_CASE("a signature is that of RFC 8032", "[value]") {
  const auto signature = sign("", kPrivate);
  REQUIRE(signature);
  CHECK(*signature == kOfNothing);
  CHECK(check_signature("", std::string{"\n "} + kOfNothing + "\n", kPublic));
}

TEST_CASE("one of several keys is enough, and no other text will do", "[value]") {
  const std::string text(100'000, 'x');
  const auto signature = sign(text, kPrivate);
  REQUIRE(signature);
  CHECK(check_signature(text, *signature, std::string{kOther} + kPublic));
  CHECK(check_signature(text + " ", *signature, kPublic).error().code == ErrorCode::denied);
  CHECK(check_signature(text, *signature, kOther).error().code == ErrorCode::denied);
  CHECK(check_signature(text, kOfNothing, kPublic).error().code == ErrorCode::denied);
}

TEST_CASE("what is no key and no signature is said to be none", "[value]") {
  CHECK(sign("x", "").error().code == ErrorCode::invalid);
  CHECK(sign("x", kPublic).error().code == ErrorCode::invalid);
  CHECK(check_signature("x", kOfNothing, "").error().code == ErrorCode::invalid);
  CHECK(check_signature("x", kOfNothing, kPrivate).error().code == ErrorCode::invalid);
  for (const std::string& signature : {std::string{}, std::string{"5VZD"}, std::string(88, '!')})
    CHECK(check_signature("x", signature, kPublic).error().code == ErrorCode::invalid);
}
