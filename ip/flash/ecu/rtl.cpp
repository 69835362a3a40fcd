// SPDX-License-Identifier: Apache-2.0
#include "ip/flash/ecu/rtl.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace levee::flash::ecu {

RtlDecoder::RtlDecoder(std::string block, MakePins make, RtlMode mode)
    : RtlTwin(std::move(block), make, mode)
{
}

RtlDecoder::~RtlDecoder() = default;

DecodeCounts RtlDecoder::decode(std::span<std::uint8_t> page, std::span<const std::uint8_t> code)
{
    const CodeFormat& format = size().format;
    if (page.size() != format.page_bytes || code.size() < format.code_bytes())
        throw std::invalid_argument(
            block() + ": the page has the wrong size for this RTL, or its code is too short");
    const std::vector<Decoded> decoded = perform(std::make_shared<const std::vector<Page>>(
        1, Page{{page.begin(), page.end()}, {code.begin(), code.end()}}));
    std::copy(decoded.front().bytes.begin(), decoded.front().bytes.end(), page.begin());
    return decoded.front().counts;
}

} // namespace levee::flash::ecu
