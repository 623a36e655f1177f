// SPDX-License-Identifier: Apache-2.0
// The targets of tests/fuzz in a program that has all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

struct Fuzzer {
  std::string_view name;  // "yaml" of fuzz_yaml.cpp
  int (*run)(const std::uint8_t* data, std::size_t size);
};

const std::vector<Fuzzer>& fuzzers();
