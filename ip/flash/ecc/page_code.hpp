// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace levee::flash {

/// Format of the code that protects a page's largest values (Cambricon-LLM, section VI), in its
/// spare area, bits LSB first: copies of the threshold, then a record for each protected value:
/// {address, check bits of the address, copies of the value}.
struct CodeFormat {
    std::uint32_t page_bytes = 0;
    std::uint32_t value_bits = 0;   ///< 8; or 4, with two values in each byte, the low half first
    std::uint32_t address_bits = 0; ///< 1 to 24
    std::uint32_t protected_values = 0;
    std::uint32_t threshold_copies = 0; ///< odd
    /// Number of copies of a value, even; the page itself contains one more.
    std::uint32_t value_copies = 0;

    [[nodiscard]] std::uint32_t values() const { return page_bytes * 8 / value_bits; }
    /// Parity bits of a Hamming code over the address.
    [[nodiscard]] std::uint32_t check_bits() const;
    [[nodiscard]] std::uint32_t record_bits() const
    {
        return address_bits + check_bits() + value_copies * value_bits;
    }
    [[nodiscard]] std::uint64_t code_bits() const
    {
        return std::uint64_t{threshold_copies} * value_bits +
               std::uint64_t{protected_values} * record_bits();
    }
    [[nodiscard]] std::uint64_t code_bytes() const { return (code_bits() + 7) / 8; }
    /// Description of an error in the format, or empty.
    [[nodiscard]] std::string fault() const;
    bool operator==(const CodeFormat&) const = default;
};

/// Counts that a decoder can observe. A record that two errors have moved to another address looks
/// intact to it; compare_records() counts those.
struct DecodeCounts {
    std::uint64_t corrected_addresses = 0; ///< one wrong bit in address or check bits
    std::uint64_t dropped = 0;             ///< syndrome beyond the code word
    std::uint64_t outside = 0;             ///< dropped: no value has the address
    std::uint64_t duplicates = 0;          ///< dropped: an earlier record has the address
    std::uint64_t corrected_values = 0;    ///< values that the vote changed
    std::uint64_t clamped = 0;             ///< unprotected values above the threshold, now 0

    void add(const DecodeCounts& other);
    bool operator==(const DecodeCounts&) const = default;
};

/// A record as read: valid if its address decodes to one of the page's values.
struct Record {
    enum class Address : std::uint8_t { Intact, Corrected, Dropped, Outside };
    Address status = Address::Dropped;
    std::uint32_t address = 0; ///< corrected
    std::vector<std::uint8_t> copies;

    [[nodiscard]] bool valid() const
    {
        return status == Address::Intact || status == Address::Corrected;
    }
};

/// Check bits of `address`: parity bits (even) at positions 1, 2, 4, 8, ... of the code word, in
/// which the address has the others, its lowest bit first. Check bit i is the one at position 2^i.
[[nodiscard]] std::uint32_t check_bits_of(std::uint32_t address, std::uint32_t address_bits);

/// Corrects one wrong bit of `address` or of its check bits in place.
[[nodiscard]] Record::Address correct_address(std::uint32_t& address, std::uint32_t check,
                                              std::uint32_t address_bits);

/// Code of a page: its `protected_values` largest magnitudes, ties to the lowest address, sorted by
/// address, and the smallest of these as threshold. -128 has magnitude 128.
/// `page` has page_bytes; the result code_bytes(). Throws std::invalid_argument for a format with a
/// fault or another number of bytes.
[[nodiscard]] std::vector<std::uint8_t> encode_page(const CodeFormat& format,
                                                    std::span<const std::uint8_t> page);

/// Threshold of a page: bitwise majority of its copies. `code` has code_bytes() at least.
[[nodiscard]] std::uint32_t read_threshold(const CodeFormat& format,
                                           std::span<const std::uint8_t> code);
/// Records of a page in their order.
[[nodiscard]] std::vector<Record> read_records(const CodeFormat& format,
                                               std::span<const std::uint8_t> code);
/// Record `index` alone, below protected_values; only the bits of this record are read.
[[nodiscard]] Record read_record(const CodeFormat& format, std::span<const std::uint8_t> code,
                                 std::uint32_t index);
/// Encodes a threshold (with the format's number of copies) and `records`: protected_values of them
/// with value_copies each, in order and with any values. Addresses get check bits.
[[nodiscard]] std::vector<std::uint8_t>
write_code(const CodeFormat& format, std::uint32_t threshold, std::span<const Record> records);

/// Decodes `page` in place with whatever `code` holds: protected values become the bitwise majority
/// of the page's bits and the copies, other values above the threshold 0. Of records with one
/// address the first counts. Throws as encode_page.
DecodeCounts decode_page(const CodeFormat& format, std::span<std::uint8_t> page,
                         std::span<const std::uint8_t> code);

/// Fate of records, which is known only from the code as written.
struct RecordFates {
    std::uint64_t intact = 0;    ///< Records at their address, corrected or not.
    std::uint64_t dropped = 0;   ///< syndrome beyond the code word, or an address without value
    std::uint64_t misplaced = 0; ///< Records at another address.
};
[[nodiscard]] RecordFates compare_records(const CodeFormat& format,
                                          std::span<const std::uint8_t> written,
                                          std::span<const std::uint8_t> read);

} // namespace levee::flash
