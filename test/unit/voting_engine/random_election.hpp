// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/numerics/numerics.hpp"
#include "core/numerics/tensor.hpp"
#include "ip/voting_engine/module.hpp"
#include "test/unit/blocks/bench.hpp"
#include "test/unit/blocks/producer.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace levee::test {

inline constexpr std::uint32_t engine_capacity = 64;

inline constexpr unsigned voting = 0, source = 1; // numbers of the blocks
inline constexpr Picoseconds cycle = 1000;
inline constexpr Picoseconds fill = 7'000; // Fill time of the stream port.

struct VotingSystem : Bench {
    voting_engine::VotingEngine engine;
    Producer producer;
    CommandQueue producer_queue;

    explicit VotingSystem(std::uint32_t capacity = engine_capacity,
                          std::unique_ptr<voting_engine::Engine> hardware = nullptr)
        : Bench("bench", {{"probabilities", 256'000'000'000, fill}}, 256'000'000'000),
          engine("engine", {Clock{1'000'000'000}, capacity, queue_config}, fabric,
                 std::move(hardware)),
          producer(*streams.find(LEVEE_STREAM(0))),
          producer_queue("producer", queue_config, producer_declaration, producer, fabric)
    {
        connect(engine.queue);
        connect(producer_queue);
    }
    /// Returns the time from the doorbell (or the later of two) to the engine's signal.
    Picoseconds time(levee_descriptor descriptor, bool from_stream = false)
    {
        descriptor.signal_counter[0] = 0;
        descriptor.signal_add[0] = 1;
        const std::uint32_t before = sync.value(0);
        if (from_stream)
            submit(source, {describe(1, levee_ve_operation{})});
        submit(voting, {descriptor});
        const Picoseconds begun = now_ps() - hop;
        while (sync.value(0) == before)
            sc_core::wait(sync.changed(0));
        const Picoseconds taken = now_ps() - begun;
        CHECK(settle(voting));
        return taken;
    }
    std::uint32_t error_field() { return reg(voting, LEVEE_CMD_ERROR_FIELD) - operation_field(0); }
};

/// A random operation with its tables in the system's memory. Its expected results follow the
/// definition in regs.h.
class Election {
public:
    levee_ve_operation op{};
    std::uint8_t opcode;
    std::vector<std::uint32_t> lengths;

    Election(Bench& system, std::uint8_t code, std::uint32_t seed,
             std::uint32_t most = engine_capacity)
        : opcode(code), system_(system), seed_(seed)
    {
        op.outer[0] = static_cast<std::uint16_t>(1 + draw(3));
        op.outer[1] = static_cast<std::uint16_t>(1 + draw(4));
        decodes_ = code != LEVEE_VE_VOTE || draw(2) == 0;
        op.rows = static_cast<std::uint16_t>(decodes_ ? 1 : 1 + draw(6));
        op.reserved = static_cast<std::uint16_t>(draw(12));
        op.protect = draw(6);
        op.n = most;
        op.mean_factor = 1.0f;
        op.deviation_factor = static_cast<float>(draw(4)) * 0.3f;
        for (std::uint32_t o0 = 0; o0 < op.outer[0]; ++o0)
            lengths.push_back(8 + draw(most - 7));
        op.capacity = code == LEVEE_VE_SELECT ? 6 + draw(most) : 7 + draw(most / 2);
        place();
        if (draw(3) == 0)
            limit_reach();
    }

    std::vector<std::uint8_t> memory() const
    {
        return system_.get<std::uint8_t>(memory_base, system_.mark());
    }
    /// Returns the memory contents that the operation must produce.
    std::vector<std::uint8_t> expected()
    {
        image_ = memory();
        for (std::uint32_t o0 = 0; o0 < op.outer[0]; ++o0)
            evaluate(o0);
        return image_;
    }
    /// Returns the probabilities in the order in which a producer streams them.
    std::vector<float> streamed() const
    {
        return system_.get<float>(op.probabilities,
                                  std::size_t{op.outer[0]} * op.outer[1] * op.rows * op.n);
    }

private:
    std::uint32_t draw(std::uint32_t below) { return random_word(seed_, 4, drawn_++) % below; }

    template <typename T> std::uint64_t table(std::size_t elements, auto make)
    {
        std::vector<T> values(elements);
        std::generate(values.begin(), values.end(), make);
        return system_.put(values);
    }
    template <typename T> std::uint64_t rows_of(std::int32_t& stride, std::size_t rows, auto make)
    {
        const std::uint32_t gap = draw(3);
        stride = static_cast<std::int32_t>((op.n + gap) * sizeof(T));
        return table<T>((op.n + gap) * rows, make);
    }

    void place()
    {
        const std::uint32_t o1 = op.outer[1];
        op.probabilities_stride[2] = static_cast<std::int32_t>(4 * op.n);
        op.probabilities_stride[1] = op.rows * op.probabilities_stride[2];
        op.probabilities_stride[0] = static_cast<std::int32_t>(o1) * op.probabilities_stride[1];
        op.probabilities = table<float>(std::size_t{op.outer[0]} * o1 * op.rows * op.n, [&] {
            const float p = unit_interval(random_word(seed_, 5, drawn_++));
            return draw(40) == 0 ? kNan : p * p * p * 0.1f;
        });
        const auto few = [&] {
            return static_cast<std::uint16_t>(draw(5) + (draw(9) == 0 ? 65531 : 0));
        };
        op.votes = rows_of<std::uint16_t>(op.votes_stride, op.outer[0], few);
        op.prefill_votes = rows_of<std::uint16_t>(op.prefill_votes_stride, op.outer[0], few);
        place_positions();
        std::int32_t of_head = 0;
        op.gather =
            rows_of<std::uint32_t>(of_head, std::size_t{op.outer[0]} * o1, [] { return 7u; });
        op.gather_stride[1] = of_head;
        op.gather_stride[0] = of_head * static_cast<std::int32_t>(o1);
        op.word_stride = op.arrival_stride = 4;
        op.lengths = system_.put(lengths);
        std::vector<std::uint32_t> arrivals, now;
        for (const std::uint32_t length : lengths) {
            arrivals.push_back(draw(length));
            now.push_back(decodes_ ? draw(200) : length - op.rows);
        }
        op.now = system_.put(now);
        if (decodes_)
            op.arrival = system_.put(arrivals);
        op.next_stride[0] = 4;
        op.next_stride[1] = static_cast<std::uint16_t>(4 * op.outer[0]);
        op.next = table<std::uint32_t>(std::size_t{op.outer[0]} * o1, [] { return 9u; });
    }
    /// Limits attention to the last tokens, if the operation supports that.
    void limit_reach()
    {
        if (opcode != LEVEE_VE_VOTE)
            op.reach = op.capacity + 1 + draw(20);
        else if (!decodes_)
            op.reach = 1 + draw(op.n);
    }
    /// Gives each sequence a permutation of positions.
    void place_positions()
    {
        op.positions_stride = static_cast<std::int32_t>(4 * op.n);
        std::vector<std::uint32_t> all;
        for (std::uint32_t o0 = 0; o0 < op.outer[0]; ++o0) {
            std::vector<std::uint32_t> one(op.n);
            std::iota(one.begin(), one.end(), 0);
            for (std::size_t i = one.size(); i > 1; --i)
                std::swap(one[i - 1], one[draw(static_cast<std::uint32_t>(i))]);
            all.insert(all.end(), one.begin(), one.end());
        }
        const std::uint64_t at = system_.put(all);
        op.positions = decodes_ ? at : 0;
    }

    template <typename T> T* in_image(std::uint64_t address)
    {
        return reinterpret_cast<T*>(image_.data() + (address - memory_base));
    }
    void evaluate(std::uint32_t o0);
    void evaluate_votes(std::uint32_t o0);
    std::uint32_t elected(std::uint32_t o0);
    std::vector<std::uint32_t> kept(std::uint32_t o0);
    void write_next(std::uint32_t o0, std::uint32_t value)
    {
        for (std::uint32_t o1 = 0; o1 < op.outer[1]; ++o1)
            *in_image<std::uint32_t>(op.next + op.next_stride[0] * o0 + op.next_stride[1] * o1) =
                value;
    }

    Bench& system_;
    std::uint32_t seed_;
    std::uint64_t drawn_ = 0;
    bool decodes_ = false;
    std::vector<std::uint8_t> image_;
};

inline void Election::evaluate_votes(std::uint32_t o0)
{
    const std::uint32_t now = *in_image<std::uint32_t>(op.now + 4 * o0);
    auto* const votes = in_image<std::uint16_t>(offset_by(op.votes, op.votes_stride, o0));
    std::uint32_t* positions = nullptr;
    if (op.arrival != 0) {
        const std::uint32_t arrival = *in_image<std::uint32_t>(op.arrival + 4 * o0);
        positions = in_image<std::uint32_t>(offset_by(op.positions, op.positions_stride, o0));
        votes[arrival] = 0;
        positions[arrival] = now;
    }
    for (std::uint32_t row = 0; row < op.rows; ++row) {
        if (now + row < op.reserved)
            continue;
        const std::uint32_t length = lengths[o0] - op.rows + 1 + row;
        const std::uint32_t seen = op.reach != 0 ? std::min(op.reach, length) : length;
        for (std::uint32_t o1 = 0; o1 < op.outer[1]; ++o1) {
            std::vector<std::uint16_t> elements;
            const std::uint64_t vector = (std::uint64_t{o0} * op.outer[1] + o1) * op.rows + row;
            for (std::uint32_t i = length - seen; i < length; ++i)
                elements.push_back(voting_engine::to_element(
                    in_image<float>(op.probabilities)[vector * op.n + i]));
            voting_engine::vote({votes + (length - seen), seen}, elements,
                                positions == nullptr
                                    ? std::span<const std::uint32_t>{}
                                    : std::span<const std::uint32_t>{positions, length},
                                {op.mean_factor, op.deviation_factor});
        }
    }
}

/// Elects a token to which the next token does not attend; of several, the earliest. If there is
/// none, votes decide.
inline std::uint32_t Election::elected(std::uint32_t o0)
{
    const std::span votes(in_image<std::uint16_t>(offset_by(op.votes, op.votes_stride, o0)),
                          lengths[o0]);
    const std::span positions(
        in_image<std::uint32_t>(offset_by(op.positions, op.positions_stride, o0)), lengths[o0]);
    const auto earliest = std::ranges::min_element(positions);
    const std::uint32_t now = *in_image<std::uint32_t>(op.now + 4 * o0);
    if (op.reach != 0 && *earliest + op.reach <= now + 1)
        return static_cast<std::uint32_t>(earliest - positions.begin());
    return voting_engine::elect(votes, positions, op.protect);
}

/// Selects the tokens to keep. Tokens to which the next token does not attend are evicted first.
/// Votes decide among the others.
inline std::vector<std::uint32_t> Election::kept(std::uint32_t o0)
{
    const std::uint32_t length = lengths[o0];
    const std::span votes(
        in_image<std::uint16_t>(offset_by(op.prefill_votes, op.prefill_votes_stride, o0)), length);
    if (op.reach == 0 || length < op.reach)
        return voting_engine::select(votes, op.capacity, op.protect);
    const std::uint32_t passed = length - op.reach + 1;
    std::vector<std::uint32_t> stay = voting_engine::select(
        votes.subspan(passed), op.capacity, op.protect > passed ? op.protect - passed : 0);
    for (std::uint32_t& position : stay)
        position += passed;
    return stay;
}

inline void Election::evaluate(std::uint32_t o0)
{
    const std::uint32_t length = lengths[o0];
    if (opcode == LEVEE_VE_VOTE) {
        evaluate_votes(o0);
        return;
    }
    auto* const votes = in_image<std::uint16_t>(offset_by(op.votes, op.votes_stride, o0));
    auto* const positions =
        in_image<std::uint32_t>(offset_by(op.positions, op.positions_stride, o0));
    if (opcode == LEVEE_VE_ELECT) {
        write_next(o0, length <= op.capacity ? length : elected(o0));
        return;
    }
    const auto* const by_position =
        in_image<std::uint16_t>(offset_by(op.prefill_votes, op.prefill_votes_stride, o0));
    const std::vector<std::uint32_t> stay = kept(o0);
    for (std::size_t i = 0; i < stay.size(); ++i) {
        positions[i] = stay[i];
        votes[i] = by_position[stay[i]];
        for (std::uint32_t o1 = 0; o1 < op.outer[1]; ++o1)
            in_image<std::uint32_t>(offset_by(offset_by(op.gather, op.gather_stride[0], o0),
                                              op.gather_stride[1], o1))[i] = stay[i];
    }
    write_next(o0, static_cast<std::uint32_t>(stay.size()));
}

} // namespace levee::test
