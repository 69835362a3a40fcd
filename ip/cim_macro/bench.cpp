// SPDX-License-Identifier: Apache-2.0
// Operations of the CIM macro: all rows loaded, vectors, then rows and vectors again, back to back.
#include "ip/cim_macro/bench.hpp"

#include "ip/cim_macro/driver.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace levee::cosim {

namespace {

using cim_macro::InputType;
using cim_macro::Shape;

struct MacroStimulus {
    std::vector<cim_macro::Job> jobs;
    bool has_gates = false;
    std::uint32_t gates_seed = 0;
    std::uint64_t most_cycles = UINT64_MAX; ///< then reset
};

enum class Values { Any, Corners, Few, Equal };

/// A number of so many bits, as a pattern.
std::uint16_t draw_bits(Draw& draw, Values values, unsigned bits)
{
    const std::uint32_t mask = (1u << bits) - 1, top = 1u << (bits - 1);
    const std::uint32_t corners[] = {0,       1,       mask,          top,
                                     top - 1, top + 1, 0x55AA & mask, 0xAA55 & mask};
    switch (values) {
    case Values::Corners:
        return static_cast<std::uint16_t>(corners[draw.below(std::size(corners))]);
    case Values::Few:
        return static_cast<std::uint16_t>(draw.one_in(8) ? draw.word() & mask : 0);
    case Values::Equal:
        return static_cast<std::uint16_t>(draw.one_in(64) ? mask : top);
    default:
        return static_cast<std::uint16_t>(draw.word() & mask);
    }
}

cim_macro::Row draw_row(Draw& draw, Values values, std::uint32_t input, const Shape& shape)
{
    cim_macro::Row row;
    row.input = static_cast<std::uint8_t>(input);
    for (std::uint32_t o = 0; o < shape.outputs; ++o)
        row.weights[o] = static_cast<std::int8_t>(draw_bits(draw, values, 8));
    return row;
}

std::vector<cim_macro::Row> draw_rows(Draw& draw, bool all, const Shape& shape)
{
    const auto values = static_cast<Values>(draw.below(4));
    std::vector<cim_macro::Row> rows;
    if (!all) {
        for (std::uint32_t i = draw.below(4); i > 0; --i)
            rows.push_back(draw_row(draw, values, draw.below(shape.inputs), shape));
        return rows;
    }
    std::vector<std::uint32_t> order(shape.inputs);
    std::iota(order.begin(), order.end(), 0u);
    for (std::uint32_t i = shape.inputs; i > 1 && draw.one_in(2); --i)
        std::swap(order[i - 1], order[draw.below(i)]);
    for (const std::uint32_t input : order)
        rows.push_back(draw_row(draw, values, input, shape));
    return rows;
}

std::vector<std::int16_t> draw_vector(Draw& draw, InputType type, const Shape& shape)
{
    const auto values = static_cast<Values>(draw.below(4));
    std::vector<std::int16_t> vector(shape.inputs);
    for (std::int16_t& element : vector) {
        const std::uint16_t bits = draw_bits(draw, values, type == InputType::Int16 ? 16 : 8);
        element = type == InputType::Int8 ? static_cast<std::int8_t>(bits)
                                          : static_cast<std::int16_t>(bits);
    }
    return vector;
}

MacroStimulus draw_macro(std::uint32_t seed, std::uint64_t index, const Shape& shape)
{
    Draw draw(seed, index);
    MacroStimulus stimulus;
    const std::uint32_t jobs = 1 + draw.below(3);
    for (std::uint32_t j = 0; j < jobs; ++j) {
        cim_macro::Job& job = stimulus.jobs.emplace_back();
        job.rows = draw_rows(draw, j == 0, shape);
        job.type = static_cast<InputType>(draw.below(3));
        for (std::uint32_t v = draw.below(4) + (j == 0 ? 1 : 0); v > 0; --v)
            job.vectors.push_back(draw_vector(draw, job.type, shape));
    }
    stimulus.has_gates = !draw.one_in(3);
    stimulus.gates_seed = draw.word();
    if (draw.one_in(6))
        stimulus.most_cycles = 1 + draw.below(2 * shape.inputs + 100);
    if (is_long_stay(index)) {
        stimulus.most_cycles = UINT64_MAX;
        cim_macro::Job& last = stimulus.jobs.back();
        for (std::uint32_t v = draw_stay(draw); v > 0; --v)
            last.vectors.push_back(draw_vector(draw, last.type, shape));
    }
    return stimulus;
}

class CimMacroBench final : public DesignBench<cim_macro::Ports, cim_macro::Driver> {
public:
    using DesignBench::DesignBench;

    [[nodiscard]] std::string describe(std::uint64_t index) const override
    {
        const MacroStimulus stimulus = draw_macro(seed(), index, size());
        constexpr const char* names[] = {"INT8", "UINT8", "INT16"};
        std::string text;
        for (const cim_macro::Job& job : stimulus.jobs)
            text += (text.empty() ? "" : " | ") + std::to_string(job.rows.size()) + " rows, " +
                    std::to_string(job.vectors.size()) + " vectors of " +
                    names[static_cast<int>(job.type)];
        text += stimulus.has_gates ? ", with back-pressure" : ", as fast as they go";
        if (stimulus.most_cycles != UINT64_MAX)
            text += ", reset in cycle " + std::to_string(stimulus.most_cycles);
        return text;
    }

private:
    bool operate(std::uint64_t index) override
    {
        const MacroStimulus stimulus = draw_macro(seed(), index, size());
        const auto expected = cim_macro::expected_of(size(), stimulus.jobs);
        if (stimulus.has_gates)
            driver().set_gates(RandomGates(stimulus.gates_seed, cim_macro::Driver::channels));
        cim_macro::Driver::Options options;
        options.expected = expected;
        options.most_cycles = stimulus.most_cycles;
        (void)driver().run(stimulus.jobs, options);
        if (stimulus.most_cycles != UINT64_MAX)
            driver().reset();
        return true;
    }
};

} // namespace

std::unique_ptr<Bench> make_cim_macro_bench(cim_macro::MakePins make, const RtlPinsOptions& options)
{
    return std::make_unique<CimMacroBench>(make, options);
}

} // namespace levee::cosim
