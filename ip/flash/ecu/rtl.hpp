// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/rtl/rtl_twin.hpp"
#include "ip/flash/ecc/decoder.hpp"
#include "ip/flash/ecu/driver.hpp"

#include <string>
#include <vector>

namespace levee::flash::ecu {

/// Uses a Verilated design as a Decoder. One instance serves all dies, because the unit keeps no
/// state between pages. The design is clocked only while it decodes. Throws LockstepDifference if
/// design and reference differ; in RtlMode::Rtl only if the design does not deliver a page.
class RtlDecoder final : public Decoder, public RtlTwin<Ports, Driver, std::vector<Page>> {
public:
    /// `block` is the unit's path, for messages.
    RtlDecoder(std::string block, MakePins make, RtlMode mode);
    /// Defined in the .cpp file, so that users need not compile the whole twin.
    ~RtlDecoder() override;

    /// Decodes a page. Throws std::invalid_argument if the page does not have the design's size, or
    /// if its code is too short.
    DecodeCounts decode(std::span<std::uint8_t> page, std::span<const std::uint8_t> code) override;
};

} // namespace levee::flash::ecu
