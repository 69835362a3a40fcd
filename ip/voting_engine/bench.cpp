// SPDX-License-Identifier: Apache-2.0
// Random tests of the voting engine. Each operation has one to three entries and elections, back to
// back.
#include "core/rtl/bench.hpp"

#include "core/numerics/numerics.hpp"
#include "ip/voting_engine/driver.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <vector>

namespace levee::voting_engine {

namespace {

using namespace cosim;

/// How a vector's elements are distributed.
enum class Values { Attention, Any, Corners, Few, Equal, Peak };

std::uint16_t draw_element(Draw& draw, Values values, std::uint32_t length)
{
    constexpr std::uint16_t corners[] = {0x0000, 0x0001, 0x03FF, 0x0400, 0x7BFF, 0x7C00,
                                         0x7C01, 0x7E00, 0x8000, 0xBC00, 0xFC00, 0xFE00,
                                         0x3C00, 0x3BFF, 0x0200, 0x0010};
    const float even = 1.0f / static_cast<float>(length);
    switch (values) {
    case Values::Any:
        return static_cast<std::uint16_t>(draw.word() >> 8);
    case Values::Corners:
        return corners[draw.below(std::size(corners))];
    case Values::Few:
        return to_element(even * static_cast<float>(draw.below(3)));
    case Values::Equal:
        return to_element(even);
    case Values::Peak:
        return to_element(draw.below(length) == 0 ? 0.9f : even * 0.1f);
    default:
        return to_element(even * 2.0f * unit_interval(draw.word()));
    }
}

std::uint16_t draw_count(Draw& draw)
{
    return static_cast<std::uint16_t>(draw.one_in(6) ? 0xFFFF - draw.below(3) : draw.below(4));
}

std::uint32_t draw_length(Draw& draw, std::uint32_t capacity)
{
    if (draw.one_in(4))
        return capacity;
    return 1 + draw.below(draw.one_in(3) ? std::min(capacity, 4u) : capacity);
}

/// Draws any factor that the engine accepts.
float draw_factor(Draw& draw)
{
    const float scale = static_cast<float>(1u << draw.below(21)) / 1024.0f;
    return std::clamp(scale * (1.0f + unit_interval(draw.word())), least_factor, greatest_factor);
}

Factors draw_factors(Draw& draw)
{
    if (draw.one_in(3))
        return {draw_factor(draw), draw_factor(draw)};
    constexpr float means[] = {1.0f, 1.0f, 0.0f, 0.37f, 1.9f, least_factor, greatest_factor};
    constexpr float deviations[] = {0.2f, 0.2f, 0.0f, 1.0f, 2.7f, least_factor, greatest_factor};
    return {means[draw.below(std::size(means))], deviations[draw.below(std::size(deviations))]};
}

/// Draws consecutive positions, in order or permuted. The lowest is 0 or, sometimes, 0xFFFFF000.
void draw_positions(Draw& draw, Job& job, std::uint32_t slots)
{
    job.positions.resize(slots);
    std::iota(job.positions.begin(), job.positions.end(), draw.one_in(8) ? 0xFFFFF000u : 0u);
    if (draw.one_in(2))
        return;
    for (std::uint32_t i = slots; i > 1; --i)
        std::swap(job.positions[i - 1], job.positions[draw.below(i)]);
}

/// Draws vectors with elements close to the threshold. The mean is a power of two and the factor
/// has arbitrary bits.
void draw_edge(Draw& draw, Job& job, std::uint32_t capacity)
{
    std::uint32_t slots = 1u << draw.below(5);
    slots = slots > capacity ? 1 : slots;
    const std::uint32_t about = draw.below(draw.one_in(2) ? 0x400 : 0x5000);
    const float limit = fp16_to_fp32(static_cast<std::uint16_t>(about));
    const float factor = std::bit_cast<float>(
        std::bit_cast<std::uint32_t>(limit * static_cast<float>(slots)) + draw.below(5) - 2);
    job.factors = {is_factor(factor) ? factor : least_factor, 0.0f};
    job.vectors.assign(1 + draw.below(3), std::vector<std::uint16_t>(slots));
    for (std::vector<std::uint16_t>& vector : job.vectors)
        for (std::uint16_t& element : vector)
            element = static_cast<std::uint16_t>(about + draw.below(3) - 1);
}

Job draw_entry(Draw& draw, std::uint32_t capacity)
{
    Job job;
    job.factors = draw_factors(draw);
    const std::uint32_t slots = draw_length(draw, capacity), count = 1 + draw.below(4);
    const bool grows = draw.one_in(2);
    for (std::uint32_t v = 0; v < count; ++v) {
        const auto values = static_cast<Values>(draw.below(6));
        const bool is_whole = v + 1 == count || !grows;
        std::vector<std::uint16_t>& vector = job.vectors.emplace_back();
        vector.resize(is_whole ? slots : 1 + draw.below(slots));
        for (std::uint16_t& element : vector)
            element = draw_element(draw, values, static_cast<std::uint32_t>(vector.size()));
    }
    if (draw.one_in(3))
        draw_edge(draw, job, capacity);
    draw_positions(draw, job, static_cast<std::uint32_t>(job.vectors.back().size()));
    for (std::size_t slot = 0; slot < job.positions.size(); ++slot)
        job.votes.push_back(draw_count(draw));
    return job;
}

/// Draws votes that stay loaded for hundreds of short vectors.
Job draw_staying(Draw& draw)
{
    constexpr std::uint32_t most_slots = 4;
    Job job;
    job.factors = {1.0f, draw.one_in(2) ? 0.0f : 0.2f};
    const std::uint32_t slots = 1 + draw.below(most_slots);
    for (std::uint32_t v = draw_stay(draw); v > 0; --v) {
        std::vector<std::uint16_t>& vector = job.vectors.emplace_back(slots);
        for (std::uint16_t& element : vector)
            element = draw_element(draw, Values::Attention, slots);
    }
    draw_positions(draw, job, slots);
    job.votes.assign(slots, 0);
    return job;
}

Job draw_election(Draw& draw, std::uint32_t capacity)
{
    Job job;
    job.elects = true;
    const std::uint32_t slots = draw_length(draw, capacity);
    draw_positions(draw, job, slots);
    for (std::uint32_t slot = 0; slot < slots; ++slot)
        job.votes.push_back(draw_count(draw));
    const std::uint32_t first = *std::ranges::min_element(job.positions);
    job.protect = draw.one_in(3) ? 0 : first + draw.below(slots + 2);
    return job;
}

std::string describe(std::span<const Job> jobs, bool is_long)
{
    std::string text;
    for (const Job& job : jobs) {
        text += text.empty() ? "" : " | ";
        if (job.elects)
            text += "an election of " + std::to_string(job.votes.size()) + " slots";
        else if (is_long)
            text += std::to_string(job.vectors.size()) + " vectors of " +
                    std::to_string(job.vectors.front().size());
        else
            text += "vectors of";
        for (const auto& vector : std::span(job.vectors).first(is_long ? 0 : job.vectors.size()))
            text += " " + std::to_string(vector.size());
    }
    return text;
}

Drawn<std::vector<Job>> draw_jobs(Draw& draw, std::uint64_t index, std::uint32_t capacity)
{
    Drawn<std::vector<Job>> drawn;
    const std::uint32_t jobs = 1 + draw.below(3);
    for (std::uint32_t i = 0; i < jobs; ++i)
        drawn.work.push_back(draw.one_in(3) ? draw_election(draw, capacity)
                                            : draw_entry(draw, capacity));
    drawn.draw_gates(draw);
    if (draw.one_in(6))
        drawn.most_cycles = 1 + draw.below(6 * capacity + 100);
    if (is_long_stay(index)) {
        drawn.work = {draw_staying(draw)};
        drawn.most_cycles = UINT64_MAX;
    }
    drawn.text = describe(drawn.work, is_long_stay(index));
    return drawn;
}

} // namespace

std::unique_ptr<cosim::Bench> Ports::make_bench(MakePins make, const RtlPinsOptions& options)
{
    return std::make_unique<WorkBench<Ports, Driver, draw_jobs>>(make, options);
}

} // namespace levee::voting_engine
