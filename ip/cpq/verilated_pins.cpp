// SPDX-License-Identifier: Apache-2.0
// The pins on a Verilated design (core/rtl/verilated_pins.hpp).
#include "core/rtl/verilated_pins.hpp"

#include "ip/cpq/pins.hpp"

#include LEVEE_DESIGN_HEADER

#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <vector>

namespace levee::cpq {

namespace {

constexpr std::uint32_t lanes = size_of({LEVEE_DESIGN_Lanes});
static_assert(lanes >= 2, "Lanes: expected 2 or more");
constexpr unsigned word_bits = 32, zero_bits = 18;

/// The bits of a port of any width, lowest first.
class Bits {
public:
    explicit Bits(std::size_t bits) : words_((bits + word_bits - 1) / word_bits + 1) {}
    template <typename Port> static Bits of(const Port& port)
    {
        Bits bits(sizeof(Port) * 8);
        std::memcpy(bits.words_.data(), &port, sizeof(Port));
        return bits;
    }
    template <typename Port> void store(Port& port) const
    {
        std::memcpy(&port, words_.data(), sizeof(Port));
    }
    void put(std::uint32_t value, unsigned width)
    {
        const std::uint64_t placed = std::uint64_t{value} << at_ % word_bits;
        words_[at_ / word_bits] |= static_cast<std::uint32_t>(placed);
        words_[at_ / word_bits + 1] |= static_cast<std::uint32_t>(placed >> word_bits);
        at_ += width;
    }
    std::uint32_t take(unsigned width)
    {
        const std::uint64_t both =
            words_[at_ / word_bits] | std::uint64_t{words_[at_ / word_bits + 1]} << word_bits;
        const std::uint64_t mask = (std::uint64_t{1} << width) - 1;
        const auto value = static_cast<std::uint32_t>(both >> at_ % word_bits & mask);
        at_ += width;
        return value;
    }

private:
    std::vector<std::uint32_t> words_;
    std::size_t at_ = 0;
};

std::int32_t signed_zero(std::uint32_t bits)
{
    const bool negative = bits >> (zero_bits - 1) != 0;
    return static_cast<std::int32_t>(bits) - (negative ? 1 << zero_bits : 0);
}

void put_entry(Bits& bits, const LaneEntry& entry)
{
    bits.put(static_cast<std::uint32_t>(entry.zero) & ((1u << zero_bits) - 1), zero_bits);
    for (const std::uint32_t number :
         {entry.reciprocal, entry.high, entry.low, entry.max, entry.min})
        bits.put(number, word_bits);
    bits.put(entry.ranged, 1);
    bits.put(entry.levels, 7);
}

LaneEntry take_entry(Bits& bits)
{
    LaneEntry entry;
    entry.zero = signed_zero(bits.take(zero_bits));
    for (std::uint32_t* const number :
         {&entry.reciprocal, &entry.high, &entry.low, &entry.max, &entry.min})
        *number = bits.take(word_bits);
    entry.ranged = bits.take(1) != 0;
    entry.levels = bits.take(7);
    return entry;
}

constexpr std::size_t entry_bits = zero_bits + 5 * word_bits + 8;

/// FP32 without its sign, which -0 has: Verilator takes bits beyond a port's width as they are.
std::uint32_t magnitude(float value)
{
    return std::bit_cast<std::uint32_t>(std::fabs(value));
}

struct Wiring {
    using Ports = cpq::Ports;
    using Top = LEVEE_DESIGN;
    static constexpr std::uint32_t size = lanes;

    static void drive(Top& top, const Inputs& in)
    {
        top.bits_i = static_cast<CData>(in.settings.bits);
        top.max_levels_i = static_cast<CData>(in.settings.max_levels);
        top.threshold_i = magnitude(in.settings.threshold);
        top.tolerance_i = magnitude(in.settings.tolerance);
        top.group_valid_i = in.group != nullptr;
        top.result_ready_i = in.result_ready;
        if (in.group == nullptr)
            return;
        top.group_kind_i = static_cast<CData>(in.group->kind);
        Bits values(std::size_t{lanes} * word_bits), entries(lanes * entry_bits);
        for (std::uint32_t lane = 0; lane < lanes; ++lane) {
            values.put(in.group->values[lane], word_bits);
            put_entry(entries, in.group->entries[lane]);
        }
        values.store(top.group_values_i);
        entries.store(top.group_entries_i);
    }

    static Outputs sample(const Top& top)
    {
        Outputs out;
        out.group_ready = top.group_ready_o != 0;
        out.level_valid = top.level_valid_o != 0;
        out.level = {top.level_lane_o, top.level_label_o, top.level_step_o,
                     signed_zero(top.level_zero_o)};
        out.result_valid = top.result_valid_o != 0;
        if (!out.result_valid)
            return out;
        Bits survives = Bits::of(top.result_survives_o), stored = Bits::of(top.result_stored_o);
        Bits opened = Bits::of(top.result_opened_o), clamped = Bits::of(top.result_clamped_o);
        Bits codes = Bits::of(top.result_codes_o), labels = Bits::of(top.result_labels_o);
        Bits entries = Bits::of(top.result_entries_o);
        out.lanes.resize(lanes);
        for (LaneResult& lane : out.lanes)
            lane = {survives.take(1) != 0,
                    stored.take(1) != 0,
                    opened.take(1) != 0,
                    clamped.take(1) != 0,
                    static_cast<std::uint8_t>(codes.take(8)),
                    static_cast<std::uint8_t>(labels.take(6)),
                    take_entry(entries)};
        return out;
    }
};

} // namespace

extern const RtlModel<Ports> LEVEE_DESIGN_MODEL;
constinit const RtlModel<Ports> LEVEE_DESIGN_MODEL = verilated_model<Wiring>;

} // namespace levee::cpq
