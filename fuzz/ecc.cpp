// SPDX-License-Identifier: Apache-2.0
// Pages of flash with the error-correcting code in their spare areas. An input has a format (six
// 16-bit numbers), a page, and the page's code. If the input is too short, page and code are padded
// with zeros.
#include "fuzz/door.hpp"
#include "ip/flash/ecc/page_code.hpp"

#include <array>
#include <cstring>

namespace {

using namespace levee::flash;

constexpr std::size_t numbers = 6;

CodeFormat format_of(levee::fuzz::Bytes head)
{
    std::array<std::uint16_t, numbers> number{};
    std::memcpy(number.data(), head.data(), sizeof number);
    return {number[0], number[1], number[2], number[3], number[4], number[5]};
}

/// Checks that decoding accepts any input, and that encoded data decode without corrections.
void decode(const CodeFormat& format, std::vector<std::uint8_t> page,
            const std::vector<std::uint8_t>& code)
{
    std::vector<std::uint8_t> whole = page;
    const std::vector<std::uint8_t> encoded = encode_page(format, page);
    if (decode_page(format, whole, encoded) != DecodeCounts{} || whole != page)
        levee::fuzz::find_fault("a page differs after encoding and decoding");
    (void)compare_records(format, encoded, code);
    (void)write_code(format, read_threshold(format, code), read_records(format, code));
    (void)decode_page(format, page, code);
}

} // namespace

std::string levee::fuzz::feed(Bytes input)
{
    constexpr std::size_t head = numbers * sizeof(std::uint16_t);
    if (input.size() < head)
        return "no format";
    const CodeFormat format = format_of(input);
    if (const std::string fault = format.fault(); !fault.empty())
        return fault;
    std::vector<std::uint8_t> all(input.begin() + head, input.end());
    all.resize(format.page_bytes + format.code_bytes());
    const auto code = all.begin() + format.page_bytes;
    decode(format, {all.begin(), code}, {code, all.end()});
    return {};
}
