// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace levee::flash {

/// Format of the code that protects a page's largest values (Cambricon-LLM, section VI). The code
/// is in the page's spare area. The code starts with copies of the threshold, followed by one
/// record per protected value: {address, check bits of the address, copies of the value}. Bits are
/// stored least significant first.
struct CodeFormat {
    std::uint32_t page_bytes = 0;
    std::uint32_t value_bits = 0;   ///< 8; or 4, with two values per byte, the low half first.
    std::uint32_t address_bits = 0; ///< Bits of an address, 1 to 24.
    std::uint32_t protected_values = 0;
    std::uint32_t threshold_copies = 0; ///< Number of copies of the threshold, odd.
    /// Number of copies of a value in its record. This number is even: with the value in the page,
    /// there is an odd number of votes.
    std::uint32_t value_copies = 0;

    [[nodiscard]] std::uint32_t values() const { return page_bytes * 8 / value_bits; }
    /// Number of check bits of a Hamming code over the address.
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
    /// Describes an error in the format; empty if it is valid.
    [[nodiscard]] std::string fault() const;
    bool operator==(const CodeFormat&) const = default;
};

/// Counts that a decoder can observe. If bit errors turn an address into another valid address, the
/// decoder sees an intact record. compare_records() counts these records.
struct DecodeCounts {
    std::uint64_t corrected_addresses = 0; ///< Records with one wrong bit in the address or its
                                           ///< check bits.
    std::uint64_t dropped = 0;             ///< Records whose syndrome points outside the code word.
    std::uint64_t outside = 0;             ///< Dropped records: the page has no value at the
                                           ///< address.
    std::uint64_t duplicates = 0;          ///< Dropped records: an earlier record has the same
                                           ///< address.
    std::uint64_t corrected_values = 0;    ///< Protected values that the majority vote changed.
    std::uint64_t clamped = 0;             ///< Unprotected values above the threshold, which were
                                           ///< set to 0.

    void add(const DecodeCounts& other);
    bool operator==(const DecodeCounts&) const = default;
};

/// A record as read. A record is valid if its address decodes to one of the page's values.
struct Record {
    enum class Address : std::uint8_t { Intact, Corrected, Dropped, Outside };
    Address status = Address::Dropped;
    std::uint32_t address = 0; ///< Address after correction.
    std::vector<std::uint8_t> copies;

    [[nodiscard]] bool valid() const
    {
        return status == Address::Intact || status == Address::Corrected;
    }
};

/// Returns the check bits of `address` for a Hamming code. Even parity bits occupy positions 1, 2,
/// 4, 8, ... of the code word. The address fills the other positions, lowest bit first. Check bit i
/// is the parity bit at position 2^i.
[[nodiscard]] std::uint32_t check_bits_of(std::uint32_t address, std::uint32_t address_bits);

/// Corrects one wrong bit in `address` or in its check bits. `address` is changed in place.
[[nodiscard]] Record::Address correct_address(std::uint32_t& address, std::uint32_t check,
                                              std::uint32_t address_bits);

/// Returns the code of a page, which has code_bytes() bytes. The code protects the
/// `protected_values` largest magnitudes; ties go to the lowest address. Records are sorted by
/// address. The threshold is the smallest protected magnitude; -128 has magnitude 128. `page` has
/// page_bytes bytes. Throws std::invalid_argument for an invalid format or another size.
[[nodiscard]] std::vector<std::uint8_t> encode_page(const CodeFormat& format,
                                                    std::span<const std::uint8_t> page);

/// Returns the threshold of a page: the bitwise majority of its copies. `code` has at least
/// code_bytes() bytes.
[[nodiscard]] std::uint32_t read_threshold(const CodeFormat& format,
                                           std::span<const std::uint8_t> code);
/// Returns the records of a page in the order of the code.
[[nodiscard]] std::vector<Record> read_records(const CodeFormat& format,
                                               std::span<const std::uint8_t> code);
/// Reads only record `index`, which is below protected_values.
[[nodiscard]] Record read_record(const CodeFormat& format, std::span<const std::uint8_t> code,
                                 std::uint32_t index);
/// Encodes a threshold and `records`, which may contain any values and addresses. `records` has
/// protected_values entries with value_copies each. Check bits of the addresses are added.
[[nodiscard]] std::vector<std::uint8_t>
write_code(const CodeFormat& format, std::uint32_t threshold, std::span<const Record> records);

/// Decodes `page` in place. Each protected value becomes the bitwise majority of the value in the
/// page and its copies. Other values above the threshold become 0. If several records have the same
/// address, the first one counts. Throws as encode_page() does.
DecodeCounts decode_page(const CodeFormat& format, std::span<std::uint8_t> page,
                         std::span<const std::uint8_t> code);

/// Numbers of records by outcome, found by comparison with the code that was written.
struct RecordFates {
    std::uint64_t intact = 0;    ///< Records with their original address, possibly corrected.
    std::uint64_t dropped = 0;   ///< Syndrome outside the code word, or no value at the address.
    std::uint64_t misplaced = 0; ///< Records that decode to a wrong but valid address.
};
[[nodiscard]] RecordFates compare_records(const CodeFormat& format,
                                          std::span<const std::uint8_t> written,
                                          std::span<const std::uint8_t> read);

} // namespace levee::flash
