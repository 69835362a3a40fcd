// SPDX-License-Identifier: Apache-2.0
#include "ip/flash/ecc/page_code.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <stdexcept>

namespace levee::flash {

namespace {

constexpr std::uint32_t most_address_bits = 24, most_copies = 255;

/// A bit position in a code. Fields are read and written least significant bit first.
struct BitCursor {
    std::uint64_t at = 0;

    std::uint32_t take(std::span<const std::uint8_t> bytes, std::uint32_t bits)
    {
        std::uint32_t value = 0;
        for (std::uint32_t i = 0; i < bits; ++i, ++at)
            value |= static_cast<std::uint32_t>(bytes[at / 8] >> (at % 8) & 1u) << i;
        return value;
    }
    void put(std::span<std::uint8_t> bytes, std::uint32_t value, std::uint32_t bits)
    {
        for (std::uint32_t i = 0; i < bits; ++i, ++at)
            bytes[at / 8] = static_cast<std::uint8_t>(bytes[at / 8] | (value >> i & 1u) << at % 8);
    }
};

std::uint32_t value_at(const CodeFormat& format, std::span<const std::uint8_t> page,
                       std::uint32_t index)
{
    return format.value_bits == 8 ? page[index] : page[index / 2] >> index % 2 * 4 & 15u;
}

void set_value(const CodeFormat& format, std::span<std::uint8_t> page, std::uint32_t index,
               std::uint32_t value)
{
    std::uint8_t& byte = page[format.value_bits == 8 ? index : index / 2];
    if (format.value_bits == 8)
        byte = static_cast<std::uint8_t>(value);
    else
        byte = static_cast<std::uint8_t>(index % 2 == 0 ? (byte & 0xF0u) | value
                                                        : (byte & 0x0Fu) | value << 4);
}

/// Returns the magnitude of a two's complement value.
std::uint32_t magnitude(const CodeFormat& format, std::uint32_t value)
{
    const bool negative = (value >> (format.value_bits - 1) & 1u) != 0;
    return negative ? (1u << format.value_bits) - value : value;
}

class Vote {
public:
    void add(std::uint32_t word)
    {
        ++words_;
        for (std::uint32_t i = 0; i < most_bits; ++i)
            ones_[i] += word >> i & 1u;
    }
    [[nodiscard]] std::uint32_t majority() const
    {
        std::uint32_t word = 0;
        for (std::uint32_t i = 0; i < most_bits; ++i)
            word |= static_cast<std::uint32_t>(2 * ones_[i] > words_) << i;
        return word;
    }

private:
    static constexpr std::uint32_t most_bits = 8; // Largest number of bits of a value.

    std::uint32_t words_ = 0;
    std::uint32_t ones_[most_bits] = {};
};

std::uint32_t check_bits_for(std::uint32_t address_bits)
{
    std::uint32_t check = 2;
    while ((1u << check) < address_bits + check + 1)
        ++check;
    return check;
}

bool is_power_of_two(std::uint32_t position)
{
    return (position & (position - 1)) == 0;
}

/// Returns the XOR of the code word positions (from 1) of the address bits that are 1.
std::uint32_t syndrome_of(std::uint32_t address, std::uint32_t address_bits)
{
    std::uint32_t syndrome = 0, position = 3;
    for (std::uint32_t i = 0; i < address_bits; ++i, ++position) {
        while (is_power_of_two(position))
            ++position;
        if ((address >> i & 1u) != 0)
            syndrome ^= position;
    }
    return syndrome;
}

void need(const CodeFormat& format, std::size_t page_bytes, std::size_t code_bytes)
{
    if (const std::string fault = format.fault(); !fault.empty())
        throw std::invalid_argument("page code: " + fault);
    if (page_bytes != format.page_bytes)
        throw std::invalid_argument("page code: a page of " + std::to_string(page_bytes) +
                                    " bytes; expected " + std::to_string(format.page_bytes));
    if (code_bytes < format.code_bytes())
        throw std::invalid_argument("page code: a code of " + std::to_string(code_bytes) +
                                    " bytes; expected at least " +
                                    std::to_string(format.code_bytes()));
}

Record take_record(const CodeFormat& format, std::span<const std::uint8_t> code, BitCursor& cursor)
{
    Record record;
    record.address = cursor.take(code, format.address_bits);
    const std::uint32_t check = cursor.take(code, format.check_bits());
    record.status = correct_address(record.address, check, format.address_bits);
    if (record.valid() && record.address >= format.values())
        record.status = Record::Address::Outside;
    record.copies.resize(format.value_copies);
    for (std::uint8_t& copy : record.copies)
        copy = static_cast<std::uint8_t>(cursor.take(code, format.value_bits));
    return record;
}

struct Voted {
    std::uint32_t address, stored, value;
};

/// Sets values whose magnitude exceeds the threshold to 0 and returns their number.
std::uint64_t clamp(const CodeFormat& format, std::span<std::uint8_t> page, std::uint32_t threshold)
{
    std::uint64_t clamped = 0;
    for (std::uint32_t i = 0; i < format.values(); ++i)
        if (magnitude(format, value_at(format, page, i)) > threshold) {
            set_value(format, page, i, 0);
            ++clamped;
        }
    return clamped;
}

void count(DecodeCounts& counts, Record::Address status)
{
    counts.corrected_addresses += status == Record::Address::Corrected;
    counts.dropped += status == Record::Address::Dropped;
    counts.outside += status == Record::Address::Outside;
}

std::vector<Voted> vote_on_values(const CodeFormat& format, std::span<const std::uint8_t> page,
                                  std::span<const std::uint8_t> code, DecodeCounts& counts)
{
    std::vector<Voted> voted;
    std::vector<bool> is_protected(format.values(), false);
    for (const Record& record : read_records(format, code)) {
        count(counts, record.status);
        if (!record.valid())
            continue;
        if (is_protected[record.address]) {
            ++counts.duplicates;
            continue;
        }
        is_protected[record.address] = true;
        const std::uint32_t stored = value_at(format, page, record.address);
        Vote vote;
        vote.add(stored);
        for (const std::uint8_t copy : record.copies)
            vote.add(copy);
        voted.push_back({record.address, stored, vote.majority()});
    }
    return voted;
}

} // namespace

std::uint32_t CodeFormat::check_bits() const
{
    return check_bits_for(address_bits);
}

std::string CodeFormat::fault() const
{
    if (value_bits != 8 && value_bits != 4)
        return "values of " + std::to_string(value_bits) + " bits; expected 8 or 4";
    if (page_bytes == 0 || page_bytes > 1u << 22)
        return "a page of " + std::to_string(page_bytes) + " bytes; expected 1 to 4 MiB";
    if (address_bits == 0 || address_bits > most_address_bits)
        return "addresses of " + std::to_string(address_bits) + " bits; expected 1 to 24";
    if (values() > 1u << address_bits)
        return "addresses of " + std::to_string(address_bits) + " bits for " +
               std::to_string(values()) + " values; expected enough bits to address every value";
    if (protected_values == 0 || protected_values > values())
        return std::to_string(protected_values) + " protected values; expected 1 to the page's " +
               std::to_string(values());
    if (threshold_copies % 2 == 0 || threshold_copies > most_copies)
        return std::to_string(threshold_copies) +
               " copies of the threshold; expected an odd number, so that they can vote";
    if (value_copies == 0 || value_copies % 2 != 0 || value_copies > most_copies)
        return std::to_string(value_copies) +
               " copies of a value; expected an even number above 0, so that the copies and the "
               "value in the page always have a majority";
    return {};
}

void DecodeCounts::add(const DecodeCounts& other)
{
    corrected_addresses += other.corrected_addresses;
    dropped += other.dropped;
    outside += other.outside;
    duplicates += other.duplicates;
    corrected_values += other.corrected_values;
    clamped += other.clamped;
}

std::uint32_t check_bits_of(std::uint32_t address, std::uint32_t address_bits)
{
    return syndrome_of(address, address_bits); // Bit i is the parity of all positions whose number
                                               // has bit i set.
}

Record::Address correct_address(std::uint32_t& address, std::uint32_t check,
                                std::uint32_t address_bits)
{
    const std::uint32_t syndrome = syndrome_of(address, address_bits) ^ check;
    if (syndrome == 0)
        return Record::Address::Intact;
    if (syndrome > address_bits + check_bits_for(address_bits))
        return Record::Address::Dropped;
    if (!is_power_of_two(syndrome)) {
        const auto parity_positions_below = static_cast<std::uint32_t>(std::bit_width(syndrome));
        address ^= 1u << (syndrome - 1 - parity_positions_below);
    }
    return Record::Address::Corrected;
}

std::vector<std::uint8_t> encode_page(const CodeFormat& format, std::span<const std::uint8_t> page)
{
    need(format, page.size(), format.code_bytes());
    std::vector<std::uint32_t> chosen(format.values());
    std::iota(chosen.begin(), chosen.end(), 0u);
    const auto size_of = [&](std::uint32_t index) {
        return magnitude(format, value_at(format, page, index));
    };
    const auto end = chosen.begin() + format.protected_values;
    std::nth_element(chosen.begin(), end - 1, chosen.end(), [&](std::uint32_t a, std::uint32_t b) {
        const std::uint32_t first = size_of(a), second = size_of(b);
        return first != second ? first > second : a < b;
    });
    const std::uint32_t threshold = size_of(*(end - 1));
    std::sort(chosen.begin(), end);
    std::vector<Record> records;
    for (auto index = chosen.begin(); index != end; ++index) {
        const auto value = static_cast<std::uint8_t>(value_at(format, page, *index));
        records.push_back({Record::Address::Intact, *index,
                           std::vector<std::uint8_t>(format.value_copies, value)});
    }
    return write_code(format, threshold, records);
}

std::vector<std::uint8_t> write_code(const CodeFormat& format, std::uint32_t threshold,
                                     std::span<const Record> records)
{
    if (records.size() != format.protected_values)
        throw std::invalid_argument("page code: " + std::to_string(records.size()) +
                                    " records; expected " +
                                    std::to_string(format.protected_values));
    std::vector<std::uint8_t> code(format.code_bytes(), 0);
    BitCursor cursor;
    for (std::uint32_t i = 0; i < format.threshold_copies; ++i)
        cursor.put(code, threshold, format.value_bits);
    for (const Record& record : records) {
        cursor.put(code, record.address, format.address_bits);
        cursor.put(code, check_bits_of(record.address, format.address_bits), format.check_bits());
        for (std::uint32_t i = 0; i < format.value_copies; ++i)
            cursor.put(code, record.copies.at(i), format.value_bits);
    }
    return code;
}

std::uint32_t read_threshold(const CodeFormat& format, std::span<const std::uint8_t> code)
{
    need(format, format.page_bytes, code.size());
    BitCursor cursor;
    Vote vote;
    for (std::uint32_t i = 0; i < format.threshold_copies; ++i)
        vote.add(cursor.take(code, format.value_bits));
    return vote.majority();
}

std::vector<Record> read_records(const CodeFormat& format, std::span<const std::uint8_t> code)
{
    need(format, format.page_bytes, code.size());
    BitCursor cursor{std::uint64_t{format.threshold_copies} * format.value_bits};
    std::vector<Record> records;
    for (std::uint32_t i = 0; i < format.protected_values; ++i)
        records.push_back(take_record(format, code, cursor));
    return records;
}

Record read_record(const CodeFormat& format, std::span<const std::uint8_t> code,
                   std::uint32_t index)
{
    need(format, format.page_bytes, code.size());
    BitCursor cursor{std::uint64_t{format.threshold_copies} * format.value_bits +
                     std::uint64_t{index} * format.record_bits()};
    return take_record(format, code, cursor);
}

DecodeCounts decode_page(const CodeFormat& format, std::span<std::uint8_t> page,
                         std::span<const std::uint8_t> code)
{
    need(format, page.size(), code.size());
    DecodeCounts counts;
    const std::vector<Voted> voted = vote_on_values(format, page, code, counts);
    const std::uint32_t threshold = read_threshold(format, code);
    counts.clamped = clamp(format, page, threshold);
    for (const Voted& one : voted) {
        counts.clamped -= magnitude(format, one.stored) > threshold;
        counts.corrected_values += one.value != one.stored;
        set_value(format, page, one.address, one.value);
    }
    return counts;
}

RecordFates compare_records(const CodeFormat& format, std::span<const std::uint8_t> written,
                            std::span<const std::uint8_t> read)
{
    const std::vector<Record> before = read_records(format, written);
    const std::vector<Record> after = read_records(format, read);
    RecordFates fates;
    for (std::size_t i = 0; i < before.size(); ++i) {
        if (!after[i].valid())
            ++fates.dropped;
        else if (after[i].address == before[i].address)
            ++fates.intact;
        else
            ++fates.misplaced;
    }
    return fates;
}

} // namespace levee::flash
