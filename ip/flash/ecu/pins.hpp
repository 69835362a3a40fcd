// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/rtl/ports.hpp"
#include "ip/flash/ecc/page_code.hpp"

#include <array>

namespace levee::flash::ecu {

/// Largest number of bytes that a design may take in a cycle.
inline constexpr std::uint32_t most_beat_bytes = 16;

using Beat = std::array<std::uint8_t, most_beat_bytes>;

/// The format of the pages that a design decodes, and the number of bytes in a beat.
struct Shape {
    CodeFormat format;
    std::uint32_t beat_bytes = 0;

    [[nodiscard]] std::uint32_t page_beats() const { return format.page_bytes / beat_bytes; }
    /// Number of beats of a page's code; the last beat is padded.
    [[nodiscard]] std::uint64_t code_beats() const
    {
        return (format.code_bytes() + beat_bytes - 1) / beat_bytes;
    }
    /// Number of bits of a counter of records.
    [[nodiscard]] unsigned count_bits() const { return clog2(format.protected_values + 1); }
    /// Number of values per beat.
    [[nodiscard]] std::uint32_t lanes() const { return beat_bytes * 8 / format.value_bits; }
};

/// Parameters of a design, named as in the RTL.
struct DesignParameters {
    std::uint32_t PageBytes, ValueBits, AddressBits, Records, ThresholdCopies, ValueCopies,
        BeatBytes;
};

/// Returns the shape of a design with these parameters.
template <DesignParameters design> consteval Shape size_of()
{
    static_assert(design.BeatBytes <= most_beat_bytes, "BeatBytes: at most 16");
    static_assert(std::has_single_bit(design.BeatBytes), "BeatBytes: a power of two");
    return {{design.PageBytes, design.ValueBits, design.AddressBits, design.Records,
             design.ThresholdCopies, design.ValueCopies},
            design.BeatBytes};
}

#define LEVEE_ECU_COUNTS(PORT, ...)                                                                \
    PORT(corrected_addresses_o, std::uint64_t, corrected_addresses, size.count_bits(),             \
         "done_valid_o")                                                                           \
    PORT(dropped_o, std::uint64_t, dropped, size.count_bits(), "done_valid_o")                     \
    PORT(outside_o, std::uint64_t, outside, size.count_bits(), "done_valid_o")                     \
    PORT(duplicates_o, std::uint64_t, duplicates, size.count_bits(), "done_valid_o")               \
    PORT(corrected_values_o, std::uint64_t, corrected_values, size.count_bits(), "done_valid_o")   \
    PORT(clamped_o, std::uint64_t, clamped, clog2(size.format.values() + 1), "done_valid_o")
LEVEE_PORTS_IN(DecodeCounts, LEVEE_ECU_COUNTS)

#define LEVEE_ECU_INPUTS(PORT, ...)                                                                \
    PORT(in_valid_i, bool, in_valid, 1)                                                            \
    PORT(in_data_i, Beat, in_data, each(8, size.beat_bytes))                                       \
    PORT(out_ready_i, bool, out_ready, 1)                                                          \
    PORT(done_ready_i, bool, done_ready, 1)
#define LEVEE_ECU_OUTPUTS(PORT, OFFER, PART, ...)                                                  \
    PORT(in_ready_o, bool, in_ready, 1, "always")                                                  \
    PORT(out_valid_o, bool, out_valid, 1, "always")                                                \
    PORT(out_data_o, Beat, out_data, each(8, size.beat_bytes), "out_valid_o")                      \
    PORT(out_last_o, bool, out_last, 1, "out_valid_o")                                             \
    PORT(done_valid_o, bool, done_valid, 1, "always")                                              \
    PART(DecodeCounts, counts)
LEVEE_BOUNDARY(Shape, LEVEE_ECU_INPUTS, LEVEE_ECU_OUTPUTS)

} // namespace levee::flash::ecu
