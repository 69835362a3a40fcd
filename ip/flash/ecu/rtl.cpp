// SPDX-License-Identifier: Apache-2.0
#include "ip/flash/ecu/rtl.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace levee::flash::ecu {

namespace {

void replay(Driver& driver, const Shape& shape, const Page& page)
{
    const std::vector<Decoded> expected = expected_of(shape.format, {&page, 1});
    Driver::Options options;
    options.expected = expected;
    options.stop_at_cycle_difference = true;
    (void)driver.run({&page, 1}, options);
}

} // namespace

RtlDecoder::RtlDecoder(std::string block, MakePins make, RtlMode mode)
    : RtlTwin(std::move(block), make, mode, replay)
{
}

RtlDecoder::~RtlDecoder() = default;

DecodeCounts RtlDecoder::decode(std::span<std::uint8_t> page, std::span<const std::uint8_t> code)
{
    const CodeFormat& format = size().format;
    if (page.size() != format.page_bytes || code.size() < format.code_bytes())
        throw std::invalid_argument(block() + ": a page or code of another size than the RTL's");
    const auto work =
        std::make_shared<const Page>(Page{{page.begin(), page.end()}, {code.begin(), code.end()}});
    remember(work);
    std::vector<Decoded> known;
    if (in_lockstep() || shows_expected())
        known = expected_of(size().format, {work.get(), 1});
    const std::vector<Decoded> decoded = driver().run({work.get(), 1}, options(known));
    fail_if_different();
    std::copy(decoded.front().bytes.begin(), decoded.front().bytes.end(), page.begin());
    return decoded.front().counts;
}

} // namespace levee::flash::ecu
