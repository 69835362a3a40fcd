// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/flash/ecc/page_code.hpp"

namespace levee::flash {

/// An error correction unit as the cells see it: a decoder for pages of one format.
class Decoder {
public:
    virtual ~Decoder() = default;
    /// Same as decode_page().
    virtual DecodeCounts decode(std::span<std::uint8_t> page,
                                std::span<const std::uint8_t> code) = 0;
};

} // namespace levee::flash
