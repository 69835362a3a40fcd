// SPDX-License-Identifier: Apache-2.0
// Operations of the array: products of all types, either way round, whole folds and ragged ones,
// back to back.
#include "ip/rsa/bench.hpp"

#include "ip/rsa/driver.hpp"
#include "ip/rsa/random_products.hpp"

#include <string>

namespace levee::cosim {

namespace {

using rsa::Shape;

struct ArrayStimulus {
    rsa::Work work;
    bool has_gates = false;
    std::uint32_t gates_seed = 0;
    std::uint64_t most_cycles = UINT64_MAX; ///< then reset
    bool is_seen_idle = true;               ///< after the reset; else the next one begins at once
};

/// Products of a single piece of B, the last of which stays for hundreds of rows of A.
rsa::Work draw_staying(Draw& draw, const Shape& shape)
{
    rsa::Work work;
    work.stays = true;
    for (const std::uint32_t m : {1 + draw.below(3), draw_stay(draw)}) {
        const bool is_transposed = draw.one_in(2);
        const std::uint32_t row = 1 + draw.below(shape.rows),
                            column = 1 + draw.below(shape.columns);
        work.products.push_back(draw_product_of(draw, m, is_transposed ? column : row,
                                                is_transposed ? row : column, is_transposed));
    }
    return work;
}

ArrayStimulus draw_array(std::uint32_t seed, std::uint64_t index, const Shape& shape)
{
    Draw draw(seed, index);
    ArrayStimulus stimulus;
    for (std::uint32_t i = 1 + draw.below(3); i > 0; --i)
        stimulus.work.products.push_back(draw_product(draw, shape.rows, shape.columns));
    stimulus.work.block = draw.one_in(2) ? UINT32_MAX : 1 + draw.below(4);
    stimulus.has_gates = !draw.one_in(3);
    stimulus.gates_seed = draw.word();
    if (draw.one_in(2)) {
        stimulus.most_cycles = 1 + draw.below(draw.one_in(2) ? 3 * shape.lanes() : 100);
        stimulus.is_seen_idle = draw.one_in(4);
    }
    if (is_long_stay(index)) {
        stimulus.work = draw_staying(draw, shape);
        stimulus.most_cycles = UINT64_MAX;
        stimulus.is_seen_idle = true;
    }
    return stimulus;
}

class RsaBench final : public DesignBench<rsa::Ports, rsa::Driver> {
public:
    using DesignBench::DesignBench;

    [[nodiscard]] std::string describe(std::uint64_t index) const override
    {
        const ArrayStimulus stimulus = draw_array(seed(), index, size());
        std::string text = describe_products(stimulus.work.products);
        if (stimulus.work.block != UINT32_MAX)
            text += ", " + std::to_string(stimulus.work.block) + " rows at once";
        text += stimulus.has_gates ? ", with back-pressure" : ", as fast as they go";
        if (stimulus.most_cycles != UINT64_MAX)
            text += ", reset in cycle " + std::to_string(stimulus.most_cycles);
        return text;
    }

private:
    bool operate(std::uint64_t index) override
    {
        const ArrayStimulus stimulus = draw_array(seed(), index, size());
        const auto expected = rsa::expected_of(stimulus.work);
        if (stimulus.has_gates)
            driver().set_gates(RandomGates(stimulus.gates_seed, rsa::Driver::channels));
        rsa::Driver::Options options;
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

std::unique_ptr<Bench> make_rsa_bench(rsa::MakePins make, const RtlPinsOptions& options)
{
    return std::make_unique<RsaBench>(make, options);
}

} // namespace levee::cosim
