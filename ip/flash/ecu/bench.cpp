// SPDX-License-Identifier: Apache-2.0
// Random tests of the flash's error correction unit. Each operation decodes one to three pages back
// to back. Codes come from the encoder or have difficult patterns; bit errors are added to pages
// and codes.
#include "core/rtl/bench.hpp"

#include "ip/flash/ecu/driver.hpp"

#include <algorithm>
#include <vector>

namespace levee::flash::ecu {

namespace {

using namespace cosim;
using Bytes = std::vector<std::uint8_t>;

/// Distributions from which a page's values are drawn.
enum class Values { Any, Weights, Corners, Few, NoZero };

/// How a page's code is made.
enum class Code { Encoded, Clustered, Same, Reversed, Shuffled, Outside, Dropped, Noise };

struct Stimulus : Drawn<std::vector<Page>> {
    bool leaves_counts = false; ///< The design is reset when the last page's counts are offered.

    void set(Driver::Options& options) const { options.leaves_counts = leaves_counts; }
};

std::uint8_t draw_byte(Draw& draw, Values values)
{
    constexpr std::uint8_t corners[] = {0x00, 0x01, 0x08, 0x7F, 0x78, 0x80, 0x81, 0x88, 0xFF};
    const std::uint32_t word = draw.word();
    switch (values) {
    case Values::Weights: // One value of 64 is large.
        return static_cast<std::uint8_t>(word % 64 == 0 ? word >> 8 : (word >> 8) % 32 - 16);
    case Values::Corners:
        return corners[word % std::size(corners)];
    case Values::Few:
        return static_cast<std::uint8_t>(word % 8 - 4);
    case Values::NoZero: // Makes 8-bit and 4-bit values odd, so not 0.
        return static_cast<std::uint8_t>(word >> 8 | 0x11);
    default:
        return static_cast<std::uint8_t>(word >> 8);
    }
}

void flip(Bytes& bytes, std::uint64_t bit)
{
    bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] ^ 1u << bit % 8);
}

/// Flips bits, each with a probability of 2^-rate.
void flip_bits(Draw& draw, std::uint32_t rate, Bytes& bytes)
{
    for (std::uint64_t bit = 0; bit < bytes.size() * 8; ++bit)
        if (draw.below(1u << rate) == 0)
            flip(bytes, bit);
}

/// Draws the address of record `i`; bit errors are added later.
std::uint32_t draw_address(Draw& draw, Code code, const CodeFormat& format, std::uint32_t i)
{
    const std::uint32_t values = format.values();
    switch (code) {
    case Code::Clustered: // Records among the first 32 or last 16 values, some twice.
        return draw.one_in(2) ? draw.below(std::min(values, 32u))
                              : values - 1 - draw.below(std::min(values, 16u));
    case Code::Same:
        return draw.one_in(8) ? 1 : values - 2;
    case Code::Outside:
        return (1u << format.address_bits) - 1;
    case Code::Reversed:
        return values - 1 - i * (values / format.protected_values);
    default:
        return draw.below(draw.one_in(8) ? 1u << format.address_bits : values);
    }
}

Bytes draw_code(Draw& draw, Code kind, const CodeFormat& format, std::uint32_t threshold,
                const Bytes& page)
{
    if (kind == Code::Encoded)
        return encode_page(format, page);
    std::vector<Record> records;
    const auto values = static_cast<Values>(draw.below(4));
    for (std::uint32_t i = 0; i < format.protected_values; ++i) {
        Record record{Record::Address::Intact, draw_address(draw, kind, format, i), {}};
        const std::uint8_t value = draw_byte(draw, values);
        for (std::uint32_t copy = 0; copy < format.value_copies; ++copy)
            record.copies.push_back(draw.one_in(4) ? draw_byte(draw, values) : value);
        records.push_back(std::move(record));
    }
    Bytes code = write_code(format, threshold, records);
    if (kind == Code::Noise)
        for (std::uint8_t& byte : code)
            byte = static_cast<std::uint8_t>(draw.word());
    return code;
}

/// Flips two bits of every address for which this makes the address undecodable.
void drop_records(const CodeFormat& format, Bytes& code)
{
    const std::uint32_t length = format.address_bits + format.check_bits();
    for (std::uint32_t i = 0; i < length * length; ++i) {
        const std::uint32_t first = i / length, second = i % length;
        std::uint32_t word = 1u << first ^ 1u << second;
        std::uint32_t address = word & ((1u << format.address_bits) - 1);
        if (first >= second || correct_address(address, word >> format.address_bits,
                                               format.address_bits) != Record::Address::Dropped)
            continue;
        std::uint64_t at = std::uint64_t{format.threshold_copies} * format.value_bits;
        for (std::uint32_t record = 0; record < format.protected_values; ++record) {
            flip(code, at + first);
            flip(code, at + second);
            at += format.record_bits();
        }
        return;
    }
}

/// Draws a page, its code, and bit errors, which have the same rate in page and code. Sometimes the
/// code belongs to another page.
Page draw_page(Draw& draw, const Shape& shape, std::string& text)
{
    constexpr const char* names[] = {"encoded",  "clustered", "same",    "reversed",
                                     "shuffled", "outside",   "dropped", "noise"};
    const CodeFormat& format = shape.format;
    const auto kind = static_cast<Code>(draw.one_in(2) ? 0 : draw.below(std::size(names)));
    constexpr std::uint32_t thresholds[] = {0, 1, 7, 8, 15, 127, 128, 255};
    const bool clamps_all = kind == Code::Dropped && draw.one_in(2);
    const auto values = clamps_all ? Values::NoZero : static_cast<Values>(draw.below(4));
    const std::uint32_t threshold = clamps_all ? 0 : thresholds[draw.below(std::size(thresholds))];
    Page page;
    for (std::uint32_t i = 0; i < format.page_bytes; ++i)
        page.bytes.push_back(draw_byte(draw, values));
    page.code = draw_code(draw, kind, format, threshold, page.bytes);
    if (kind == Code::Dropped)
        drop_records(format, page.code);
    text += std::string(text.empty() ? "" : ", then ") + names[static_cast<int>(kind)];
    if (kind != Code::Dropped && !draw.one_in(4)) {
        const std::uint32_t rate = 4 + draw.below(8); // 1/16 to 1/2048.
        flip_bits(draw, rate, page.bytes);
        flip_bits(draw, rate, page.code);
        text += " with one wrong bit in " + std::to_string(1u << rate);
    }
    // Random filler after the last record, up to the end of the code's last byte.
    if (const std::uint64_t used = format.code_bits() % 8; used != 0)
        page.code.back() = static_cast<std::uint8_t>(page.code.back() | draw.word() << used);
    while (page.code.size() < shape.code_beats() * shape.beat_bytes)
        page.code.push_back(static_cast<std::uint8_t>(draw.word()));
    return page;
}

Stimulus draw_pages(Draw& draw, std::uint64_t, const Shape& shape)
{
    Stimulus drawn;
    const std::uint32_t pages = 1 + draw.below(3);
    for (std::uint32_t i = 0; i < pages; ++i)
        drawn.work.push_back(draw_page(draw, shape, drawn.text));
    drawn.draw_gates(draw);
    drawn.leaves_counts = draw.one_in(16);
    if (drawn.leaves_counts)
        drawn.other_reset = ", reset before the last counts";
    if (draw.one_in(8)) {
        const std::uint64_t code = shape.code_beats() + shape.format.protected_values;
        drawn.most_cycles = 1 + draw.below(static_cast<std::uint32_t>(
                                    draw.one_in(2) ? code : 2 * code + shape.page_beats()));
    }
    return drawn;
}

} // namespace

std::unique_ptr<cosim::Bench> Ports::make_bench(MakePins make, const RtlPinsOptions& options)
{
    return std::make_unique<WorkBench<Ports, Driver, draw_pages>>(make, options);
}

} // namespace levee::flash::ecu
