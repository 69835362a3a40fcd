// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace levee::edram {

class Bitmap {
public:
    using Word = std::uint64_t;
    static constexpr std::uint64_t word_bits = 64;

    Bitmap(std::uint64_t size, bool value)
        : words_((size + word_bits - 1) / word_bits, value ? ~Word{0} : 0)
    {
    }

    [[nodiscard]] bool operator[](std::uint64_t i) const
    {
        return (words_[i / word_bits] >> i % word_bits & 1) != 0;
    }
    void set(std::uint64_t i, bool value)
    {
        const Word bit = Word{1} << i % word_bits;
        Word& word = words_[i / word_bits];
        word = value ? word | bit : word & ~bit;
    }
    [[nodiscard]] Word& word(std::uint64_t number) { return words_[number]; }
    [[nodiscard]] Word word(std::uint64_t number) const { return words_[number]; }

    /// Calls visit(number, mask) for each word that overlaps bits [first, end). `mask` selects the
    /// bits in the range.
    template <typename Visit>
    static void for_each_word(std::uint64_t first, std::uint64_t end, Visit visit)
    {
        while (first < end) {
            const std::uint64_t number = first / word_bits;
            const std::uint64_t next = std::min((number + 1) * word_bits, end);
            const Word mask = ~Word{0} >> (word_bits - (next - first)) << first % word_bits;
            visit(number, mask);
            first = next;
        }
    }
    /// Calls visit(i) for each bit that is set in `bits`, which is word `number` of a bitmap.
    template <typename Visit> static void for_each_bit(std::uint64_t number, Word bits, Visit visit)
    {
        for (; bits != 0; bits &= bits - 1)
            visit(number * word_bits + static_cast<unsigned>(std::countr_zero(bits)));
    }

private:
    std::vector<Word> words_;
};

} // namespace levee::edram
