// SPDX-License-Identifier: Apache-2.0
// The error correction unit's RTL, instead of its reference or in lockstep with it.
#pragma once

#include "core/rtl/rtl_twin.hpp"
#include "ip/flash/ecc/decoder.hpp"
#include "ip/flash/ecu/driver.hpp"

#include <string>
#include <vector>

namespace levee::flash::ecu {

/// A Verilated design as a Decoder: one for the units of all dies, which keep no state between
/// pages. It is clocked only while it decodes. Throws LockstepDifference; with RtlMode::Rtl, only
/// if the design delivers no page.
class RtlDecoder final : public Decoder, public RtlTwin<Ports, Driver, std::vector<Page>> {
public:
    /// `block`: its path, for messages.
    RtlDecoder(std::string block, MakePins make, RtlMode mode);
    /// Defined elsewhere, so that users of the decoder need not compile the whole twin.
    ~RtlDecoder() override;

    /// Throws std::invalid_argument for a page or a code of another size than the design's.
    DecodeCounts decode(std::span<std::uint8_t> page, std::span<const std::uint8_t> code) override;
};

} // namespace levee::flash::ecu
