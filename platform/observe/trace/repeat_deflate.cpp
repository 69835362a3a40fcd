// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/trace/repeat_deflate.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <stdexcept>

namespace levee::trace {

namespace {

constexpr unsigned end_of_block = 256, first_length = 257, last_length = 285;
constexpr std::size_t most_bytes = 2;   // maximum number of bytes of one character's code
constexpr std::size_t most_frame = 512; // maximum number of bytes of a block without its symbols

/// The symbol for the length or distance `value`, and the number of extra bits after it. Each of
/// the first symbols stands for one value. In each further group of 2^steps symbols, a symbol
/// covers twice as many values as in the group before (RFC 1951, 3.2.5).
struct Symbol {
    unsigned number, extra;
};

constexpr Symbol symbol_of(std::uint32_t value, unsigned steps)
{
    const auto bits = static_cast<unsigned>(std::bit_width(value));
    const unsigned extra = bits > steps + 1 ? bits - steps - 1 : 0;
    return {(extra << steps) + (value >> extra), extra};
}

constexpr Symbol distance_symbol(std::uint32_t distance)
{
    return symbol_of(distance - 1, 1);
}

constexpr unsigned length_symbol(std::uint32_t length)
{
    return length == Repeat::most_length
               ? last_length
               : first_length + symbol_of(length - Repeat::least_length, 2).number;
}

bool holds(const Repeat& repeat, std::span<const char> text)
{
    const char* const at = text.data() + repeat.at;
    return repeat.distance <= repeat.at &&
           std::memcmp(at, at - repeat.distance, repeat.length) == 0;
}

} // namespace

/// Writes a stream of bits, the lowest bit of a byte first.
class RepeatDeflate::Bits {
public:
    explicit Bits(std::uint8_t* out) : next_(out) {}

    void add(Code code)
    {
        bits_ |= std::uint64_t{code.bits} << count_;
        count_ += code.count;
    }
    /// Moves the complete bytes to the output. There is then room for 56 more bits.
    void store()
    {
        static_assert(std::endian::native == std::endian::little);
        std::memcpy(next_, &bits_, sizeof bits_);
        next_ += count_ / 8;
        bits_ >>= count_ & ~7u;
        count_ &= 7;
    }
    void header(const isal_hufftables& codes)
    {
        std::memcpy(next_, codes.deflate_hdr, codes.deflate_hdr_count);
        *next_ &= 0xFE; // clear the bit that marks the last block
        next_ += codes.deflate_hdr_count;
        add({codes.deflate_hdr[codes.deflate_hdr_count], codes.deflate_hdr_extra_bits});
        store();
    }
    /// Adds an empty stored block, so that the output ends on a byte boundary.
    std::uint8_t* finish()
    {
        add({0, 3});
        add({0, (8 - count_ % 8) % 8});
        store();
        add({0xFFFF0000, 32});
        store();
        return next_;
    }

private:
    std::uint8_t* next_;
    std::uint64_t bits_ = 0;
    std::uint32_t count_ = 0;
};

/// Derives Huffman codes from the frequencies of symbols in a text.
void RepeatDeflate::renew_codes(std::span<const char> text, std::span<const Repeat> repeats)
{
    std::memset(&histogram_, 0, offsetof(isal_huff_histogram, hash_table));
    std::uint64_t* const symbols = histogram_.lit_len_histogram;
    std::size_t done = 0;
    const auto literals = [&](std::size_t end) {
        for (; done < end; ++done)
            ++symbols[static_cast<unsigned char>(text[done])];
    };
    for (const Repeat& repeat : repeats) {
        if (repeat.at < done || !holds(repeat, text))
            continue;
        literals(repeat.at);
        ++symbols[length_symbol(repeat.length)];
        ++histogram_.dist_histogram[distance_symbol(repeat.distance).number];
        done += repeat.length;
    }
    literals(text.size());
    symbols[end_of_block] = 1;
    if (isal_create_hufftables(&codes_, &histogram_) != 0)
        throw std::logic_error("ISA-L cannot make a Huffman code for a trace's text");
    for (std::size_t i = 0; i < literals_.size(); ++i)
        literals_[i] = {codes_.lit_table[i], codes_.lit_table_sizes[i]};
    for (std::size_t i = 0; i < lengths_.size(); ++i)
        lengths_[i] = {codes_.len_table[i] >> 5, codes_.len_table[i] & 31};
    for (std::uint32_t i = 0; i < near_.size(); ++i)
        near_[i] = distance(i + 1);
}

RepeatDeflate::Code RepeatDeflate::distance(std::uint32_t distance) const
{
    const Symbol symbol = distance_symbol(distance);
    const std::uint32_t size = codes_.dcodes_sizes[symbol.number];
    const std::uint32_t rest = (distance - 1) & ((1u << symbol.extra) - 1);
    return {codes_.dcodes[symbol.number] | rest << size, size + symbol.extra};
}

std::size_t RepeatDeflate::write(std::span<const char> text, std::span<const Repeat> repeats)
{
    Bits bits(out_.data());
    bits.header(codes_);
    const char* next = text.data();
    const auto literals = [&](const char* end) {
        for (; end - next >= 3; next += 3) {
            for (int i = 0; i < 3; ++i)
                bits.add(literals_[static_cast<unsigned char>(next[i])]);
            bits.store();
        }
        if (next == end)
            return;
        for (; next != end; ++next)
            bits.add(literals_[static_cast<unsigned char>(*next)]);
        bits.store();
    };
    for (const Repeat& repeat : repeats) {
        const char* const at = text.data() + repeat.at;
        if (at < next || !holds(repeat, text)) [[unlikely]]
            continue;
        literals(at);
        bits.add(lengths_[repeat.length - Repeat::least_length]);
        bits.add(repeat.distance <= near_.size() ? near_[repeat.distance - 1u]
                                                 : distance(repeat.distance));
        bits.store();
        next += repeat.length;
    }
    literals(text.data() + text.size());
    bits.add(literals_[end_of_block]);
    return static_cast<std::size_t>(bits.finish() - out_.data());
}

std::span<const std::uint8_t> RepeatDeflate::compress(std::span<const char> text,
                                                      std::span<const Repeat> repeats)
{
    out_.resize(std::max(out_.size(), most_bytes * text.size() + most_frame));
    std::size_t size = expected_ != 0 ? write(text, repeats) : SIZE_MAX;
    if (size > expected_ + expected_ / 16) {
        renew_codes(text, repeats);
        size = expected_ = write(text, repeats);
    }
    return {out_.data(), size};
}

} // namespace levee::trace
