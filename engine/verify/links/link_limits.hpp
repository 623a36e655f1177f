// SPDX-License-Identifier: Apache-2.0
// The limits of a bad link, for modules without limits of their own.
#pragma once

#include <cstdint>

namespace fabric::verify {

// Degrees Celsius of the module's case: commercial modules are made for 0 to 70 (E-link-module).
inline constexpr double kHottestModule = 70;
// The greatest bit error rates, before and after FEC (E-link-ber).
inline constexpr double kRawBitErrors = 1e-5;
inline constexpr double kEffectiveBitErrors = 1e-15;
// Correctable errors of PCIe since the boot: each costs a repeat, and a sound slot has next to none
// (E-pcie-errors).
inline constexpr std::uint64_t kCorrectablePcieErrors = 1000;

// The least PCIe MaxReadReq of a card of 100 Gb/s and more, in bytes (E-pcie-read-request).
inline constexpr std::uint32_t kReadRequest = 4096;
inline constexpr std::uint64_t kFastLinkMbps = 100'000;

}  // namespace fabric::verify
