// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/numerics/numerics.hpp"
#include "ip/kv_tables/model.hpp"
#include "test/unit/blocks/bench.hpp"

#include <algorithm>
#include <cstring>

namespace levee::test {

/// A random operation with its tables in the system's memory. The reference writes its results to a
/// copy of that memory.
class Evictions {
public:
    levee_se_operation op{};
    levee_se_formats formats{};
    std::uint8_t opcode;
    std::uint32_t length = 0; ///< Length of the longest sequence.

    Evictions(Bench& system, std::uint8_t code, std::uint32_t seed)
        : opcode(code), system_(system), seed_(seed)
    {
        op.outer[0] = static_cast<std::uint16_t>(1 + draw(3));
        op.outer[1] = static_cast<std::uint16_t>(1 + draw(4));
        op.rows = static_cast<std::uint16_t>(code == LEVEE_SE_ACCUMULATE ? 1 + draw(4) : 1);
        op.group = static_cast<std::uint16_t>(1 + draw(3));
        length = 5 + draw(60);
        op.n = length + draw(5);
        op.sinks = static_cast<std::uint16_t>(draw(3));
        op.window = static_cast<std::uint16_t>(1 + draw(2));
        op.score = static_cast<std::uint8_t>(draw(2));
        op.view_bits = static_cast<std::uint8_t>(1 + draw(7));
        op.seed = draw(1000);
        const bool ranks = code == LEVEE_SE_EVICT || code == LEVEE_SE_SELECT;
        op.flags = static_cast<std::uint8_t>(ranks && draw(4) == 0 ? LEVEE_SE_RANDOM : 0);
        if (ranks && op.seed % 2 == 1)
            op.flags |= LEVEE_SE_RECENT_HIGH;
        if (ranks && op.seed % 4 < 2)
            op.flags |= LEVEE_SE_REDRAW;
        if (code == LEVEE_SE_ACCUMULATE && draw(2) == 0)
            op.flags = LEVEE_SE_CAUSAL;
        op.capacity = code == LEVEE_SE_SELECT ? 4 + draw(length) : length - 1;
        place_tables();
        place_scores();
        place_formats();
    }

    /// Returns the actual contents of memory.
    std::vector<std::uint8_t> memory() const
    {
        return system_.get<std::uint8_t>(memory_base, system_.mark());
    }
    /// Returns the contents that the reference produces.
    std::vector<std::uint8_t> expected()
    {
        image_ = memory();
        for (std::uint32_t o0 = 0; o0 < op.outer[0]; ++o0)
            evaluate(o0);
        return image_;
    }
    /// Returns the rows of scores in the order in which a producer streams them.
    std::vector<float> streamed() const
    {
        std::vector<float> stream;
        for (std::uint32_t o0 = 0; o0 < op.outer[0]; ++o0)
            for (std::uint32_t o1 = 0; o1 < op.outer[1]; ++o1)
                for (std::uint32_t row = 0; row < rows(); ++row) {
                    const auto one = system_.get<float>(score_row(o0, o1, row), op.n);
                    stream.insert(stream.end(), one.begin(), one.end());
                }
        return stream;
    }
    std::uint32_t rows() const { return std::uint32_t{op.group} * op.rows; }
    std::uint32_t heads() const { return std::uint32_t{op.outer[0]} * op.outer[1]; }

private:
    std::uint32_t draw(std::uint32_t below) { return random_word(seed_, 4, drawn_++) % below; }

    /// Draws strides around runs of `bytes`, with random gaps, and fills each run with the result
    /// of `make`. Returns the address.
    template <typename T>
    std::uint64_t place(std::int32_t (&stride)[2], std::size_t elements, auto&& make)
    {
        stride[1] = static_cast<std::int32_t>(sizeof(T) * (elements + draw(3)));
        stride[0] = stride[1] * op.outer[1] + static_cast<std::int32_t>(sizeof(T) * draw(3));
        std::vector<T> values(static_cast<std::size_t>(stride[0]) / sizeof(T) * op.outer[0]);
        const std::uint64_t address = system_.put(values);
        for (std::uint32_t o0 = 0; o0 < op.outer[0]; ++o0)
            for (std::uint32_t o1 = 0; o1 < op.outer[1]; ++o1)
                for (std::uint32_t i = 0; i < elements; ++i) {
                    const T value = make(o0, o1, i);
                    std::memcpy(system_.at(address) + stride[0] * o0 + stride[1] * o1 +
                                    i * sizeof(T),
                                &value, sizeof value);
                }
        return address;
    }
    std::uint64_t place_words(auto&& make)
    {
        std::vector<std::uint32_t> words;
        for (std::uint32_t o0 = 0; o0 < op.outer[0]; ++o0)
            for (std::uint32_t o1 = 0; o1 < 4; ++o1)
                words.push_back(make(o0, o1));
        return system_.put(words);
    }
    void place_tables()
    {
        const std::uint32_t slots = length + 1;
        op.table_stride[0] = 16;
        op.table_stride[1] = 4;
        // One sequence has the maximum length. EVICT's lengths reach the capacity or exceed it by
        // one.
        op.lengths = place_words([&](std::uint32_t o0, std::uint32_t) {
            return o0 == 0 ? length : length - draw(std::min<std::uint32_t>(length - 4, 2));
        });
        op.now = place_words([&](std::uint32_t, std::uint32_t) { return 3 * slots; });
        const bool is_popular = opcode == LEVEE_SE_POPULAR;
        op.next = place_words([&](std::uint32_t, std::uint32_t) {
            return is_popular                  ? length - draw(2)
                   : opcode == LEVEE_SE_FORGET ? draw(length - 3)
                                               : 77;
        });
        op.arrival = draw(2) && !is_popular
                         ? op.next
                         : place_words([&](std::uint32_t, std::uint32_t) { return 0; });
        for (std::uint32_t i = 0; !is_popular && i < 4u * op.outer[0]; ++i) {
            const std::uint32_t slot = draw(length - 3);
            std::memcpy(system_.at(op.arrival + 4 * i), &slot, 4);
        }
        place_slots(slots);
    }
    /// Places the tables that have an element for each slot.
    void place_slots(std::uint32_t slots)
    {
        op.importance = place<std::uint16_t>(op.importance_stride, slots, [&](auto...) {
            return static_cast<std::uint16_t>(draw(4) == 0 ? 0xFFFF * draw(2) : draw(0x10000));
        });
        // Each head has its own tokens, in order for POPULAR.
        const auto position = [&](std::uint32_t, std::uint32_t o1, std::uint32_t i) {
            return 2 * i + (i * (o1 + 3)) % 2;
        };
        op.positions = place<std::uint32_t>(op.positions_stride, slots, position);
        const std::size_t bytes = static_cast<std::size_t>(op.positions_stride[0]) * op.outer[0];
        op.gather = system_.take(bytes);
        std::memcpy(system_.at(op.gather), system_.at(op.positions), bytes);
        if (draw(4) != 0)
            op.views = place<std::uint8_t>(op.views_stride, slots,
                                           [&](auto...) { return std::uint8_t{0x55}; });
        if (draw(2)) {
            op.kv_row_bytes = 32;
            op.kv_stride[1] = static_cast<std::int32_t>(32 * slots);
            op.kv_stride[0] = op.kv_stride[1] * op.outer[1];
            op.keys = system_.take(static_cast<std::uint64_t>(op.kv_stride[0]) * op.outer[0]);
            op.values = system_.take(static_cast<std::uint64_t>(op.kv_stride[0]) * op.outer[0]);
        }
    }
    void place_scores()
    {
        if (opcode == LEVEE_SE_POPULAR || draw(6) == 0)
            return;
        if (opcode == LEVEE_SE_SELECT) {
            std::int32_t stride[2];
            op.scores = place<std::uint16_t>(stride, op.n, [&](auto...) {
                return static_cast<std::uint16_t>(draw(3) == 0 ? draw(4) : draw(0x10000));
            });
            op.scores_stride[0] = stride[0];
            op.scores_stride[1] = stride[1];
            return;
        }
        op.scores_stride[2] = static_cast<std::int32_t>(4 * (op.n + draw(3)));
        op.scores_stride[1] = op.scores_stride[2] * static_cast<std::int32_t>(rows()) +
                              static_cast<std::int32_t>(4 * draw(3));
        op.scores_stride[0] = op.scores_stride[1] * op.outer[1];
        std::vector<float> scores(static_cast<std::size_t>(op.scores_stride[0]) / 4 * op.outer[0]);
        for (float& score : scores)
            score = 1.5f * unit_interval(random_word(seed_, 6, drawn_++)) - 0.2f;
        op.scores = system_.put(scores);
    }
    void place_formats()
    {
        const bool may = opcode == LEVEE_SE_EVICT || opcode == LEVEE_SE_FORGET;
        if (opcode != LEVEE_SE_POPULAR && (!may || draw(2) == 0))
            return;
        formats.rows = 2 + draw(6);
        formats.arrival_row = formats.rows + 3;
        // Row 0 may be free. Row 1 holds a token of every head, from its slot length - 2.
        const bool is_free = draw(2) != 0;
        const std::uint32_t rows = formats.rows;
        const std::uint32_t stored = length - 2;
        std::int32_t row_stride[2];
        const auto holders = [&](std::uint32_t, std::uint32_t, std::uint32_t row) {
            return row == 1 || (row == 0 && !is_free) ? std::uint32_t{op.outer[1]} : 0u;
        };
        formats.holders = place<std::uint32_t>(row_stride, rows, holders);
        formats.row_table_stride = row_stride[0];
        const std::size_t bytes = static_cast<std::size_t>(row_stride[0]) * op.outer[0];
        formats.x_positions = system_.take(bytes);
        formats.x_gather = system_.take(bytes);
        formats.slot_of = place<std::uint32_t>(
            formats.slot_of_stride, rows, [&](std::uint32_t, std::uint32_t, std::uint32_t row) {
                return row == 1 ? stored : row == 0 && !is_free ? stored - 1 : LEVEE_SE_NONE;
            });
        place_redirect(stored, is_free);
        formats.entry_table_stride = 8;
        formats.current =
            system_.put(std::vector<std::uint32_t>(2u * op.outer[0], is_free    ? 0
                                                                     : rows > 2 ? 2
                                                                                : LEVEE_SE_NONE));
        formats.used = system_.put(std::vector<std::uint32_t>(2u * op.outer[0], 2));
        formats.x_row_bytes = 64;
        formats.x_stride[1] = 64;
        formats.x_stride[0] = static_cast<std::int32_t>(64 * rows);
        formats.x = system_.take(64ull * rows * op.outer[0]);
        op.formats = system_.put(std::vector<levee_se_formats>{formats});
    }
    /// In every head, the token of slot `stored` is in input row 1. The token of the slot below is
    /// in row 0, unless row 0 is free.
    void place_redirect(std::uint32_t stored, bool is_free)
    {
        const std::size_t table = static_cast<std::size_t>(op.positions_stride[0]) * op.outer[0];
        formats.redirect = system_.take(table);
        std::memset(system_.at(formats.redirect), 0xFF, table);
        for (std::uint32_t head = 0; head < heads(); ++head) {
            const std::uint64_t at =
                formats.redirect +
                static_cast<std::uint64_t>(op.positions_stride[0]) * (head / op.outer[1]) +
                static_cast<std::uint64_t>(op.positions_stride[1]) * (head % op.outer[1]);
            const std::uint32_t one = 1, zero = 0;
            std::memcpy(system_.at(at + 4 * stored), &one, 4);
            if (!is_free)
                std::memcpy(system_.at(at + 4 * (stored - 1)), &zero, 4);
        }
    }

    // Addresses a copy of memory for the reference.
    std::uint8_t* at(std::uint64_t address) { return image_.data() + (address - memory_base); }
    std::uint64_t score_row(std::uint32_t o0, std::uint32_t o1, std::uint32_t row) const
    {
        return op.scores + static_cast<std::uint64_t>(op.scores_stride[0]) * o0 +
               static_cast<std::uint64_t>(op.scores_stride[1]) * o1 +
               static_cast<std::uint64_t>(op.scores_stride[2]) * row;
    }
    static std::uint64_t of(std::uint64_t table, const std::int32_t* stride, std::uint32_t o0,
                            std::uint32_t o1)
    {
        return table + static_cast<std::uint64_t>(stride[0]) * o0 +
               static_cast<std::uint64_t>(stride[1]) * o1;
    }
    template <typename T> std::vector<T> take(std::uint64_t address, std::size_t count)
    {
        std::vector<T> values(count);
        if (count > 0)
            std::memcpy(values.data(), at(address), count * sizeof(T));
        return values;
    }
    template <typename T> void give(std::uint64_t address, const std::vector<T>& values)
    {
        if (!values.empty())
            std::memcpy(at(address), values.data(), values.size() * sizeof(T));
    }
    std::uint32_t& word(std::uint64_t table, std::uint32_t o0, std::uint32_t o1)
    {
        return *reinterpret_cast<std::uint32_t*>(at(table + 16 * o0 + 4 * o1));
    }
    void evaluate(std::uint32_t o0);
    kv_tables::Policy policy() const;
    std::vector<std::vector<float>> take_scores(std::uint32_t o0);
    void load(kv_tables::Entry& entry, std::uint32_t count);
    void store(const kv_tables::Entry& entry, std::uint32_t count);

    Bench& system_;
    std::uint32_t seed_;
    std::uint64_t drawn_ = 0;
    std::vector<std::uint8_t> image_;
};

inline void Evictions::load(kv_tables::Entry& entry, std::uint32_t count)
{
    const std::uint32_t o0 = entry.index;
    if (op.formats != 0) {
        auto& kept = entry.formats.emplace();
        kept.rows = formats.rows;
        kept.arrival_row = formats.arrival_row;
        const std::uint64_t row_table = static_cast<std::uint64_t>(formats.row_table_stride) * o0;
        kept.holders = take<std::uint32_t>(formats.holders + row_table, formats.rows);
        kept.x_positions = take<std::uint32_t>(formats.x_positions + row_table, formats.rows);
        kept.x_gather = take<std::uint32_t>(formats.x_gather + row_table, formats.rows);
        kept.current = take<std::uint32_t>(formats.current + 8 * o0, 1)[0];
    }
    for (std::uint32_t o1 = 0; o1 < op.outer[1]; ++o1) {
        auto& head = entry.heads.emplace_back();
        const std::uint32_t slots = opcode == LEVEE_SE_POPULAR ? word(op.next, o0, o1) : count;
        head.importance =
            take<std::uint16_t>(of(op.importance, op.importance_stride, o0, o1), slots);
        head.positions = take<std::uint32_t>(of(op.positions, op.positions_stride, o0, o1), slots);
        head.gather = take<std::uint32_t>(of(op.gather, op.positions_stride, o0, o1), slots);
        head.next = word(op.next, o0, o1);
        if (op.formats == 0)
            continue;
        head.redirect =
            take<std::uint32_t>(of(formats.redirect, op.positions_stride, o0, o1), slots + 1);
        head.slot_of =
            take<std::uint32_t>(of(formats.slot_of, formats.slot_of_stride, o0, o1), formats.rows);
    }
}

inline void Evictions::store(const kv_tables::Entry& entry, std::uint32_t)
{
    const std::uint32_t o0 = entry.index;
    for (std::uint32_t o1 = 0; o1 < op.outer[1]; ++o1) {
        const auto& head = entry.heads[o1];
        give(of(op.importance, op.importance_stride, o0, o1), head.importance);
        give(of(op.positions, op.positions_stride, o0, o1), head.positions);
        if (opcode == LEVEE_SE_SELECT || opcode == LEVEE_SE_POPULAR)
            give(of(op.gather, op.positions_stride, o0, o1), head.gather);
        give(of(op.views, op.views_stride, o0, o1), head.views);
        if (opcode == LEVEE_SE_EVICT || opcode == LEVEE_SE_SELECT)
            word(op.next, o0, o1) = head.next;
        if (op.formats == 0)
            continue;
        give(of(formats.redirect, op.positions_stride, o0, o1), head.redirect);
        give(of(formats.slot_of, formats.slot_of_stride, o0, o1), head.slot_of);
    }
    if (op.formats == 0)
        return;
    const std::uint64_t row_table = static_cast<std::uint64_t>(formats.row_table_stride) * o0;
    give(formats.holders + row_table, entry.formats->holders);
    give(formats.x_positions + row_table, entry.formats->x_positions);
    give(formats.x_gather + row_table, entry.formats->x_gather);
    give(formats.current + 8 * o0, std::vector<std::uint32_t>{entry.formats->current});
    give(formats.used + 8 * o0, std::vector<std::uint32_t>{entry.formats->used});
}

inline kv_tables::Policy Evictions::policy() const
{
    return {op.capacity,
            op.sinks,
            op.window,
            static_cast<levee_se_score>(op.score),
            op.views == 0 ? 0u : op.view_bits,
            (op.flags & LEVEE_SE_RANDOM) != 0,
            op.seed,
            0,
            (op.flags & LEVEE_SE_RECENT_HIGH) != 0,
            (op.flags & LEVEE_SE_REDRAW) != 0};
}

/// Returns the rows of scores of each head of a sequence, for ACCUMULATE and EVICT.
inline std::vector<std::vector<float>> Evictions::take_scores(std::uint32_t o0)
{
    std::vector<std::vector<float>> scores(op.outer[1]);
    for (std::uint32_t o1 = 0; o1 < op.outer[1] && op.scores != 0; ++o1)
        for (std::uint32_t row = 0; row < rows() && opcode <= LEVEE_SE_EVICT; ++row)
            for (const float score : take<float>(score_row(o0, o1, row), op.n))
                scores[o1].push_back(score);
    return scores;
}

inline void Evictions::evaluate(std::uint32_t o0)
{
    using namespace kv_tables;
    const std::uint32_t count = word(op.lengths, o0, 0);
    const std::vector<std::vector<float>> scores = take_scores(o0);
    Entry entry;
    entry.index = o0;
    load(entry, count);
    if (opcode == LEVEE_SE_ACCUMULATE) {
        for (std::uint32_t o1 = 0; o1 < op.outer[1]; ++o1)
            accumulate(entry.heads[o1].importance, {scores[o1], op.n, op.group, op.rows}, count,
                       (op.flags & LEVEE_SE_CAUSAL) != 0, policy().score);
    } else if (opcode == LEVEE_SE_EVICT) {
        Arrival arrival{word(op.now, o0, 0), count, {}, {}};
        for (std::uint32_t o1 = 0; o1 < op.outer[1]; ++o1) {
            arrival.slots.push_back(word(op.arrival, o0, o1));
            arrival.scores.push_back({scores[o1], op.n, op.group, 1});
        }
        evict(policy(), entry, arrival);
    } else if (opcode == LEVEE_SE_SELECT) {
        std::vector<std::vector<std::uint16_t>> sums(op.outer[1],
                                                     std::vector<std::uint16_t>(count));
        for (std::uint32_t o1 = 0; o1 < op.outer[1] && op.scores != 0; ++o1)
            sums[o1] = take<std::uint16_t>(score_row(o0, o1, 0), count);
        select(policy(), entry,
               std::vector<std::span<const std::uint16_t>>(sums.begin(), sums.end()));
    } else if (opcode == LEVEE_SE_POPULAR) {
        popular(entry);
    } // FORGET writes no results.
    store(entry, count);
}

} // namespace levee::test
