// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/faults/bit_range.hpp"

#include <algorithm>
#include <bit>

namespace levee::faults {

namespace {

constexpr std::uint64_t word_bytes = 8;

/// Returns the bits of the mask that belong to the word at address `word` and to the range's bytes.
std::uint64_t mask_in_word(const BitRange& range, std::uint64_t word)
{
    std::uint64_t mask = range.mask;
    const std::uint64_t begin = range.address, end = range.address + range.bytes;
    if (word < begin)
        mask &= ~std::uint64_t{0} << 8 * (begin - word);
    if (word + word_bytes > end)
        mask &= ~std::uint64_t{0} >> 8 * (word + word_bytes - end);
    return mask;
}

std::uint64_t first_word(const BitRange& range)
{
    return range.address & ~(word_bytes - 1);
}

/// Returns the number of words that the range touches, without the first one.
std::uint64_t more_words(const BitRange& range)
{
    return (range.address + range.bytes - 1 - first_word(range)) / word_bytes;
}

unsigned count(std::uint64_t mask)
{
    return static_cast<unsigned>(std::popcount(mask));
}

/// Returns set bit number `number` of the mask, counted from 0. The mask belongs to the word at
/// address `word`.
BitAt nth(std::uint64_t word, std::uint64_t mask, std::uint64_t number)
{
    for (; number != 0; --number)
        mask &= mask - 1;
    const auto bit = static_cast<unsigned>(std::countr_zero(mask));
    return {word + bit / 8, bit % 8};
}

BitAt bit_of(const BitRange& range, std::uint64_t number)
{
    const std::uint64_t first = first_word(range), head = mask_in_word(range, first);
    if (number < count(head))
        return nth(first, head, number);
    number -= count(head);
    const std::uint64_t in_word = count(range.mask);
    const std::uint64_t word = first + word_bytes * (1 + number / in_word);
    return nth(word, mask_in_word(range, word), number % in_word);
}

} // namespace

std::uint64_t mask_of(unsigned element_bits, std::span<const unsigned> bits)
{
    std::uint64_t mask = bits.empty() ? ~std::uint64_t{0} : 0;
    for (const unsigned bit : bits)
        for (unsigned at = bit; at < 8 * word_bytes; at += element_bits)
            mask |= std::uint64_t{1} << at;
    return mask;
}

std::uint64_t bits_in(const BitRange& range)
{
    if (range.bytes == 0)
        return 0;
    const std::uint64_t first = first_word(range), more = more_words(range);
    const std::uint64_t head = count(mask_in_word(range, first));
    if (more == 0)
        return head;
    return head + (more - 1) * count(range.mask) +
           count(mask_in_word(range, first + more * word_bytes));
}

std::uint64_t bits_in(std::span<const BitRange> ranges)
{
    std::uint64_t bits = 0;
    for (const BitRange& range : ranges)
        bits += bits_in(range);
    return bits;
}

BitAt bit_at(std::span<const BitRange> ranges, std::uint64_t number)
{
    for (const BitRange& range : ranges) {
        const std::uint64_t bits = bits_in(range);
        if (number < bits)
            return bit_of(range, number);
        number -= bits;
    }
    return {};
}

std::vector<BitRange> common(std::span<const BitRange> one, std::span<const BitRange> other)
{
    std::vector<BitRange> both;
    auto begin = other.begin();
    for (const BitRange& a : one) {
        while (begin != other.end() && begin->address + begin->bytes <= a.address)
            ++begin;
        for (auto b = begin; b != other.end() && b->address < a.address + a.bytes; ++b) {
            const std::uint64_t from = std::max(a.address, b->address);
            const std::uint64_t to = std::min(a.address + a.bytes, b->address + b->bytes);
            const BitRange shared{from, to - from, a.mask & b->mask};
            if (bits_in(shared) != 0)
                both.push_back(shared);
        }
    }
    return both;
}

} // namespace levee::faults
