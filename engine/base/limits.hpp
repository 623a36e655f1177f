// Every limit of the program, with its reason. Input beyond a limit is an error that says so.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fabric::limits {

// A document of 10,000 nodes written out one by one is about 4 MB.
inline constexpr std::size_t kDocumentBytes = std::size_t{64} * 1024 * 1024;
// Deepest useful document: 9 levels. Recursion over trees relies on this bound.
inline constexpr int kNestingDepth = 64;
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
// Small enough for a fuzzer to reach them thousands of times a second.
inline constexpr std::size_t kNodes = 1'000;
inline constexpr std::size_t kCables = 2'000;
inline constexpr std::size_t kNodeSetMembers = 1'000;
inline constexpr std::size_t kExpandedValues = 10'000;
#else
// The largest public systems have some 20,000 hosts.
inline constexpr std::size_t kNodes = 100'000;
inline constexpr std::size_t kCables = 1'000'000;
// One node set; refuses `c[1-4000000000]` before it takes memory.
inline constexpr std::size_t kNodeSetMembers = 100'000;
// What the node sets, profiles and `for` of one document may come to: every value of every node,
// every end of a cable. 20,000 hosts with 8 adapters each and 20 values per adapter are 4 million.
inline constexpr std::size_t kExpandedValues = 10'000'000;
#endif
// More would be a tree that merges into itself, or an attack.
inline constexpr std::size_t kYamlNodes = 20'000'000;
// Output kept of one remote command; a full mlxconfig query is about 10 KB per card.
inline constexpr std::size_t kCommandOutputBytes = std::size_t{32} * 1024 * 1024;

}  // namespace fabric::limits
