// SPDX-License-Identifier: Apache-2.0
// Random tests of the CIM macro. Each operation has one to three jobs, back to back. The first job
// loads all rows and multiplies vectors. Each later job loads up to three rows and multiplies up to
// three vectors; a job with a long stay has more.
#include "core/rtl/bench.hpp"

#include "ip/cim_macro/driver.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace levee::cim_macro {

namespace {

using namespace cosim;

enum class Values { Any, Corners, Few, Equal };

/// Draws a number with `bits` bits, as a bit pattern.
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

Row draw_row(Draw& draw, Values values, std::uint32_t input, const Shape& shape)
{
    Row row;
    row.input = static_cast<std::uint8_t>(input);
    for (std::uint32_t o = 0; o < shape.outputs; ++o)
        row.weights[o] = static_cast<std::int8_t>(draw_bits(draw, values, 8));
    return row;
}

std::vector<Row> draw_rows(Draw& draw, bool all, const Shape& shape)
{
    const auto values = static_cast<Values>(draw.below(4));
    std::vector<Row> rows;
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

std::string describe(std::span<const Job> jobs)
{
    constexpr const char* names[] = {"INT8", "UINT8", "INT16"};
    std::string text;
    for (const Job& job : jobs)
        text += (text.empty() ? "" : " | ") + std::to_string(job.rows.size()) + " rows, " +
                std::to_string(job.vectors.size()) + " vectors of " +
                names[static_cast<int>(job.type)];
    return text;
}

Drawn<std::vector<Job>> draw_jobs(Draw& draw, std::uint64_t index, const Shape& shape)
{
    Drawn<std::vector<Job>> drawn;
    const std::uint32_t jobs = 1 + draw.below(3);
    for (std::uint32_t j = 0; j < jobs; ++j) {
        Job& job = drawn.work.emplace_back();
        job.rows = draw_rows(draw, j == 0, shape);
        job.type = static_cast<InputType>(draw.below(3));
        for (std::uint32_t v = draw.below(4) + (j == 0 ? 1 : 0); v > 0; --v)
            job.vectors.push_back(draw_vector(draw, job.type, shape));
    }
    drawn.draw_gates(draw);
    if (draw.one_in(6))
        drawn.most_cycles = 1 + draw.below(2 * shape.inputs + 100);
    if (is_long_stay(index)) {
        drawn.most_cycles = UINT64_MAX;
        Job& last = drawn.work.back();
        for (std::uint32_t v = draw_stay(draw); v > 0; --v)
            last.vectors.push_back(draw_vector(draw, last.type, shape));
    }
    drawn.text = describe(drawn.work);
    return drawn;
}

} // namespace

std::unique_ptr<cosim::Bench> Ports::make_bench(MakePins make, const RtlPinsOptions& options)
{
    return std::make_unique<WorkBench<Ports, Driver, draw_jobs>>(make, options);
}

} // namespace levee::cim_macro
