// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/flash/ecc/page_code.hpp"

namespace levee::flash {

class Decoder {
public:
    virtual ~Decoder() = default;
    /// Decodes a page with the same result as decode_page().
    virtual DecodeCounts decode(std::span<std::uint8_t> page,
                                std::span<const std::uint8_t> code) = 0;
};

} // namespace levee::flash
