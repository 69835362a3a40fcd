// SPDX-License-Identifier: Apache-2.0
// Random tests of VEDA's PE arrays. One to four groups of products run back to back, each with its
// own configuration and shape.
#include "core/rtl/bench.hpp"

#include "ip/veda/core.hpp"
#include "ip/veda/driver.hpp"

#include <algorithm>
#include <vector>

namespace levee::veda {

namespace {

using namespace cosim;

/// How operands are distributed.
enum class Values { Any, Ordinary, Corners, Sparse, Special };

std::uint16_t draw_value(Draw& draw, Values values)
{
    constexpr std::uint16_t corners[] = {0x0000, 0x0001, 0x0005, 0x0007, 0x0020, 0x03FF,
                                         0x0400, 0x3BFF, 0x3C00, 0x3C01, 0x6C00, 0x7BFF};
    constexpr std::uint16_t specials[] = {0x0000, 0x0001, 0x7BFF, 0x7C00, 0x7C01, 0x7E00};
    const std::uint32_t word = draw.word();
    const auto sign = static_cast<std::uint16_t>(word & 0x8000u);
    switch (values) {
    case Values::Any:
        return static_cast<std::uint16_t>(word);
    case Values::Corners:
        return corners[draw.below(std::size(corners))] | sign;
    case Values::Sparse:
        return draw.one_in(4) ? static_cast<std::uint16_t>(word & 0xBFFFu) : sign;
    case Values::Special:
        if (draw.one_in(8))
            return specials[draw.below(std::size(specials))] | sign;
        [[fallthrough]];
    default: // Magnitudes of 2^-7 to 2^8.
        return static_cast<std::uint16_t>((word & 0x83FFu) | (8 + (word >> 16) % 16) << 10);
    }
}

struct Group {
    Configuration configuration;
    std::vector<Product> products;
    std::vector<std::vector<std::uint16_t>> operands;
};

struct Stimulus {
    std::vector<Group> groups;
    bool has_gates = false;
    std::uint32_t gates_seed = 0;
    bool ends_in_reset = false;
};

/// Draws a length near a multiple of the number of lanes.
std::uint32_t draw_length(Draw& draw, std::uint32_t lanes)
{
    const std::uint32_t choices[] = {
        1, 2, lanes - 1, lanes, lanes + 1, 2 * lanes, 2 * lanes + 3, 1 + draw.below(3 * lanes)};
    return choices[draw.below(std::size(choices))];
}

void draw_product_of(Draw& draw, std::uint32_t k, std::uint32_t n, Values values, Group& group)
{
    Product product;
    product.k = k;
    product.n = n;
    product.b_transposed = draw.one_in(2);
    product.b_pitch = product.b_transposed ? product.k : product.n;
    const auto operands = [&](std::size_t count) {
        std::vector<std::uint16_t>& all = group.operands.emplace_back(count);
        for (std::uint16_t& one : all)
            one = draw_value(draw, values);
        return all.data();
    };
    product.a = operands(product.k);
    product.b = operands(std::size_t{product.k} * product.n);
    group.products.push_back(product);
}

void draw_product(Draw& draw, std::uint32_t lanes, Values values, Group& group)
{
    constexpr std::uint32_t longest_other = 6; // Only one of the two dimensions may be long, to
                                               // limit the run time.
    const bool is_k_long = draw.one_in(2);
    const std::uint32_t length = draw_length(draw, lanes);
    const std::uint32_t other = 1 + draw.below(longest_other);
    draw_product_of(draw, is_k_long ? length : other, is_k_long ? other : length, values, group);
}

/// Draws a group in which the configuration stays for hundreds of results, or each lane sums
/// hundreds of products. Operands are ordinary numbers, because a sum that is not finite would hide
/// later errors.
Group draw_staying(Draw& draw, const ArrayShape& shape)
{
    Group group;
    group.configuration.mode = draw.one_in(2) ? Mode::Inner : Mode::Outer;
    group.configuration.split = draw.one_in(2);
    group.configuration.narrow = draw.one_in(2);
    const bool is_inner = group.configuration.mode == Mode::Inner, sums_stay = draw.one_in(2);
    const std::uint32_t lanes = product_lanes(shape, group.configuration);
    const std::uint32_t stay = draw_stay(draw);
    // Lanes divide k in inner mode, and n in outer mode.
    const bool is_wide = sums_stay == is_inner;
    const std::uint32_t across = (is_wide ? stay : 1) * lanes, along = is_wide ? 1 : stay;
    for (std::uint32_t i = group.configuration.split ? shape.arrays : 1; i > 0; --i)
        draw_product_of(draw, is_inner ? across : along, is_inner ? along : across,
                        Values::Ordinary, group);
    return group;
}

Group draw_group(Draw& draw, const ArrayShape& shape)
{
    Group group;
    group.configuration.mode = draw.one_in(2) ? Mode::Inner : Mode::Outer;
    group.configuration.split = draw.one_in(2);
    group.configuration.narrow = draw.one_in(2);
    const auto values = static_cast<Values>(draw.below(5));
    const std::uint32_t lanes = product_lanes(shape, group.configuration);
    const std::uint32_t count = group.configuration.split ? 1 + draw.below(shape.arrays) : 1;
    for (std::uint32_t i = 0; i < count; ++i)
        draw_product(draw, lanes, values, group);
    return group;
}

Stimulus draw_stimulus(std::uint32_t seed, std::uint64_t index, const ArrayShape& shape)
{
    Draw draw(seed, index);
    Stimulus stimulus;
    const std::uint32_t groups = 1 + draw.below(4);
    for (std::uint32_t i = 0; i < groups; ++i)
        stimulus.groups.push_back(draw_group(draw, shape));
    stimulus.has_gates = !draw.one_in(3);
    stimulus.gates_seed = draw.word();
    stimulus.ends_in_reset = draw.one_in(16);
    if (is_long_stay(index)) {
        stimulus.groups.clear(); // Products point to the operands of their group, so groups must
                                 // not be copied.
        stimulus.groups.push_back(draw_staying(draw, shape));
        stimulus.ends_in_reset = false;
    }
    return stimulus;
}

/// Allocates the results of each product and makes the product write there.
std::vector<std::vector<std::uint32_t>> place_results(std::vector<Product>& products)
{
    std::vector<std::vector<std::uint32_t>> results;
    for (Product& product : products)
        product.out = results.emplace_back(product.n).data();
    return results;
}

class VedaBench final : public DesignBench<Ports, Driver> {
public:
    VedaBench(MakePins make, const RtlPinsOptions& options)
        : DesignBench(make, options), reference_(size())
    {
    }

    [[nodiscard]] std::string describe(std::uint64_t index) const override
    {
        const Stimulus stimulus = draw_stimulus(seed(), index, size());
        std::string text;
        for (const Group& group : stimulus.groups) {
            text += text.empty() ? "" : ", then ";
            text += group.configuration.mode == Mode::Inner ? "inner" : "outer";
            text += group.configuration.split ? " split" : "";
            text += group.configuration.narrow ? " FP16" : " FP32";
            for (const Product& product : group.products)
                text += " " + std::to_string(product.k) + " x " + std::to_string(product.n);
        }
        text += stimulus.has_gates ? ", with back-pressure" : ", without back-pressure";
        return text + (stimulus.ends_in_reset ? ", then reset" : "");
    }

private:
    bool operate(std::uint64_t index) override
    {
        const Stimulus stimulus = draw_stimulus(seed(), index, size());
        if (stimulus.has_gates)
            driver().set_gates(RandomGates(stimulus.gates_seed, Driver::channels));
        driver().begin();
        // Both vectors must exist until drain().
        std::vector<std::vector<std::vector<std::uint32_t>>> expected, results;
        for (const Group& group : stimulus.groups) {
            std::vector<Product> products = group.products;
            expected.push_back(place_results(products));
            reference_.begin(group.configuration);
            reference_.run(products);
            results.push_back(place_results(products));
            driver().run(group.configuration, products, expected.back());
        }
        if (stimulus.ends_in_reset)
            driver().reset();
        driver().drain();
        // After a reset the next operation follows immediately.
        return !stimulus.ends_in_reset;
    }

    ReferenceCore reference_;
};

} // namespace

std::unique_ptr<cosim::Bench> Ports::make_bench(MakePins make, const RtlPinsOptions& options)
{
    return std::make_unique<VedaBench>(make, options);
}

} // namespace levee::veda
