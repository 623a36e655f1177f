// SPDX-License-Identifier: Apache-2.0
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

TEST_CASE("a signature has one spelling, and no other of its kind fits", "[value]") {
  // The S of test 1 with one, two, four, eight and fifteen times the order of the group added.
  for (const char* malleable :
       {"5VZDAMNgrHKQhuLMgG6CioSHfx645dl02HPgZSJJAVVMjHhyqgZOBJ27MBP78pOA0lv18FlbviRlUUFDjnoQGw==",
        "5VZDAMNgrHKQhuLMgG6CioSHfx645dl02HPgZSJJAVU5YG7PxGlgXHNYKLbZ7HKV0lv18FlbviRlUUFDjnoQKw==",
        "5VZDAMNgrHKQhuLMgG6CioSHfx645dl02HPgZSJJAVUTCFqJ+S+FDCCSF/yW4DC/0lv18FlbviRlUUFDjnoQSw==",
        "5VZDAMNgrHKQhuLMgG6CioSHfx645dl02HPgZSJJAVXHVzH9YrzObHkF9ocRyKwS01v18FlbviRlUUFDjnoQiw==",
        "5VZDAMNgrHKQhuLMgG6CioSHfx645dl02HPgZSJJAVVCI+qHG3JP1VVPu/wnncWk01v18FlbviRlUUFDjnoQ+w==",
        // R is the neutral point and S is 0; all zeros.
        "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA==",
        "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
        "="}) {
    CAPTURE(malleable);
    CHECK(check_signature("", malleable, kPublic).error().code == ErrorCode::denied);
  }
  const std::string right = kOfNothing;
  for (const std::string& spelled :
       {right.substr(0, 85) + "x==",  // bits behind the last byte
        right.substr(0, 84),          // 63 bytes
        right.substr(0, 86),          // without the padding
        right + right,                // 128 bytes
        right.substr(0, 40) + "\n" + right.substr(40),
        right.substr(0, 40) + "====" + right.substr(44),
        right.substr(0, 40) + "-_" + right.substr(42)}) {
    CAPTURE(spelled);
    CHECK(check_signature("", spelled, kPublic).error().code == ErrorCode::invalid);
  }
}

TEST_CASE("a key of small order is no key of anybody", "[value]") {
  // The points of order 1, 2, 4 and 8 in every spelling, as OpenSSL writes public keys. Under the
  // first one the neutral point and S = 0 fit any text.
  constexpr const char* kFitsAll =
      "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA==";
  for (const char* point :
       {"AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
        "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAIA=",
        "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
        "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAIA=",
        "JuiVj8KyJ7BFw/SJ8u+Y8NXfrAXTxjM5sTgCiG1T/AU=",
        "JuiVj8KyJ7BFw/SJ8u+Y8NXfrAXTxjM5sTgCiG1T/IU=",
        "xxdqcD1N2E+6PAt2DRBnDyogU/osOczGTsf9d5KsA3o=",
        "xxdqcD1N2E+6PAt2DRBnDyogU/osOczGTsf9d5KsA/o=",
        "7P///////////////////////////////////////38=",
        "7P////////////////////////////////////////8=",
        "7f///////////////////////////////////////38=",
        "7f////////////////////////////////////////8=",
        "7v///////////////////////////////////////38=",
        "7v////////////////////////////////////////8="}) {
    CAPTURE(point);
    const std::string key = std::string{"-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA"} + point +
                            "\n-----END PUBLIC KEY-----\n";
    const auto checked = check_signature("any text", kFitsAll, key);
    REQUIRE_FALSE(checked);
    CHECK(checked.error().code == ErrorCode::invalid);
    // Also where it stands before a good one.
    CHECK(check_signature("", kOfNothing, key + kPublic).error().code == ErrorCode::invalid);
  }
}

TEST_CASE("keys are rotated by a file of several, all of which can be read", "[value]") {
  const auto signature = sign("x", kPrivate);
  REQUIRE(signature);
  CHECK(check_signature("x", *signature, std::string{kPublic} + kOther));
  CHECK(check_signature("x", *signature, std::string{"# old\n"} + kOther + "# new\n" + kPublic));
  // The old key has left.
  CHECK(check_signature("x", *signature, kOther).error().code == ErrorCode::denied);
  std::string broken = kOther;
  broken.replace(broken.find("MCow"), 4, "!!!!");
  CHECK(check_signature("x", *signature, broken + kPublic).error().code == ErrorCode::invalid);
  const std::string cut = std::string{kOther}.substr(0, 60);
  CHECK(check_signature("x", *signature, cut).error().code == ErrorCode::invalid);
}
