// SPDX-License-Identifier: Apache-2.0
// Every limit of the program, with its reason. Input beyond a limit is an error that names the
// limit.
#pragma once

#include <cstddef>

namespace fabric::limits {

inline constexpr std::size_t kMebibyte = std::size_t{1024} * 1024;

// All files of a document together; one of 10,000 nodes written out one by one is about 4 MB.
inline constexpr std::size_t kDocumentBytes = 8 * kMebibyte;
// lab.yaml, which has the differences of some nodes.
inline constexpr std::size_t kLabFileBytes = 8 * kMebibyte;
// A plan has 28 to 37 KB for each new node, a journal less.
inline constexpr std::size_t kPlanBytes = 512 * kMebibyte;
inline constexpr std::size_t kJournalBytes = 256 * kMebibyte;
// A plan from a pipe, which can't be checked before it is kept.
inline constexpr std::size_t kPlanByPipeBytes = 24 * kMebibyte;
// Saved facts of one node: some 200 KB.
inline constexpr std::size_t kFactsBytes = 32 * kMebibyte;
// lab.json: one line for each simulated node.
inline constexpr std::size_t kLabInfoBytes = 8 * kMebibyte;
// A configuration file of a node.
inline constexpr std::size_t kNodeFileBytes = kMebibyte;
// Lines of that file; each may become a value of some hundred bytes.
inline constexpr std::size_t kNodeFileLines = 50'000;
// A subnet as ibnetdiscover or iblinkinfo prints it: some 500 bytes for each of 30,000 ports.
inline constexpr std::size_t kSubnetBytes = 16 * kMebibyte;
// Lines of a subnet: none becomes more than its own text.
inline constexpr std::size_t kSubnetLines = kSubnetBytes;
// Nodes and ports of a subnet: more than fit into a text of that size.
inline constexpr std::size_t kSubnetPorts = 80'000;
// A foreign file: a tree of YAML (20,000 hosts with three variables each are 15 MB), a line, the
// columns of a table.
inline constexpr std::size_t kForeignTreeBytes = 20 * kMebibyte;
inline constexpr std::size_t kForeignLineBytes = kMebibyte;
inline constexpr std::size_t kForeignColumns = 1'000;
// Values from the node sets of a foreign file: 20,000 hosts in five groups, with ten variables
// each, are a million.
inline constexpr std::size_t kForeignValues = 1'000'000;
// Notes about parts of a foreign file that are left out or uncertain.
inline constexpr std::size_t kForeignNotes = 10'000;
// Keys and signatures: a private key of 16384 bits has 13 KB.
inline constexpr std::size_t kKeyBytes = std::size_t{64} * 1024;
inline constexpr std::size_t kTrustedKeysBytes = kMebibyte;
// known_hosts: three keys for each of 30,000 hosts.
inline constexpr std::size_t kKnownHostsBytes = 32 * kMebibyte;
// ssh_config with all files that it includes, and the number of files.
inline constexpr std::size_t kSshConfigBytes = kMebibyte;
inline constexpr std::size_t kSshConfigFiles = 1024;
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
// Values after expansion of the node sets, profiles and `for` of one document: every value of every
// node, every end of a cable. 20,000 hosts with 8 adapters each and 20 values each are 4 million.
inline constexpr std::size_t kExpandedValues = 10'000'000;
#endif
// Marks that the parser of YAML may hold at once, which can begin or end a value: it reads a
// bracketed collection to its end before it reports its beginning. Some 30 MB.
inline constexpr std::size_t kYamlMarksHeld = 150'000;
// One value or comment of YAML, of which its parser keeps some twenty copies.
inline constexpr std::size_t kYamlBytesHeld = kMebibyte;
// A longer text is checked from end to end before any of it is kept.
inline constexpr std::size_t kCheckedFirstBytes = kMebibyte / 8;
// Reported problems of one text; the rest of the text is not read.
inline constexpr std::size_t kSyntaxErrors = 1'000;
// Output kept of one remote command; a full mlxconfig query is about 10 KB per card.
inline constexpr std::size_t kCommandOutputBytes = 32 * kMebibyte;

}  // namespace fabric::limits
