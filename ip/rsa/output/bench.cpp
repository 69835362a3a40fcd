// SPDX-License-Identifier: Apache-2.0
// Operations of the output-stationary array: products of all types, either way round, whole pieces
// and ragged ones, back to back.
#include "ip/rsa/output/bench.hpp"

#include "ip/rsa/output/driver.hpp"
#include "ip/rsa/random_products.hpp"

#include <algorithm>
#include <string>

namespace levee::cosim {

namespace {

using rsa::output::Shape;

struct OutputStimulus {
    rsa::output::Work work;
    bool has_gates = false;
    std::uint32_t gates_seed = 0;
    std::uint64_t most_cycles = UINT64_MAX; ///< then reset
    bool is_seen_idle = true;               ///< after the reset; else the next one begins at once
};

OutputStimulus draw_output(std::uint32_t seed, std::uint64_t index, const Shape& shape)
{
    Draw draw(seed, index);
    OutputStimulus stimulus;
    for (std::uint32_t i = 1 + draw.below(3); i > 0; --i)
        stimulus.work.products.push_back(draw_product(draw, shape.rows, shape.columns));
    stimulus.has_gates = !draw.one_in(3);
    stimulus.gates_seed = draw.word();
    if (draw.one_in(2)) {
        const std::uint32_t lanes = std::max(shape.rows, shape.columns);
        stimulus.most_cycles = 1 + draw.below(draw.one_in(2) ? 3 * lanes : 100);
        stimulus.is_seen_idle = draw.one_in(4);
    }
    if (is_long_stay(index)) { // sums
        const std::uint32_t m = 1 + draw.below(shape.rows), n = 1 + draw.below(shape.columns);
        const std::uint32_t k = draw_stay(draw);
        stimulus.work.products = {draw_product_of(draw, m, k, n, draw.one_in(2))};
        stimulus.most_cycles = UINT64_MAX;
        stimulus.is_seen_idle = true;
    }
    return stimulus;
}

class RsaOutputBench final : public DesignBench<rsa::output::Ports, rsa::output::Driver> {
public:
    using DesignBench::DesignBench;

    [[nodiscard]] std::string describe(std::uint64_t index) const override
    {
        const OutputStimulus stimulus = draw_output(seed(), index, size());
        std::string text = describe_products(stimulus.work.products);
        text += stimulus.has_gates ? ", with back-pressure" : ", as fast as they go";
        if (stimulus.most_cycles != UINT64_MAX)
            text += ", reset in cycle " + std::to_string(stimulus.most_cycles);
        return text;
    }

private:
    bool operate(std::uint64_t index) override
    {
        const OutputStimulus stimulus = draw_output(seed(), index, size());
        const auto expected = rsa::output::expected_of(stimulus.work);
        if (stimulus.has_gates)
            driver().set_gates(RandomGates(stimulus.gates_seed, rsa::output::Driver::channels));
        rsa::output::Driver::Options options;
        options.expected = expected;
        options.most_cycles = stimulus.most_cycles;
        (void)driver().run(stimulus.work, options);
        if (stimulus.most_cycles == UINT64_MAX)
            return true;
        driver().reset();
        return stimulus.is_seen_idle;
    }
};

} // namespace

std::unique_ptr<Bench> make_rsa_output_bench(rsa::output::MakePins make,
                                             const RtlPinsOptions& options)
{
    return std::make_unique<RsaOutputBench>(make, options);
}

} // namespace levee::cosim
