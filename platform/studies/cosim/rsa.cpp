// SPDX-License-Identifier: Apache-2.0
// Operations of the array: products of all types, either way round, whole folds and ragged ones,
// back to back.
#include "platform/studies/cosim/rsa.hpp"

#include "ip/common/tensor.hpp"
#include "ip/rsa/driver.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

namespace levee::cosim {

namespace {

using rsa::Product;
using rsa::Shape;

struct ArrayStimulus {
    rsa::Work work;
    bool has_gates = false;
    std::uint32_t gates_seed = 0;
    std::uint64_t most_cycles = UINT64_MAX; ///< then reset
    bool is_seen_idle = true;               ///< after the reset; else the next one begins at once
};

enum class Bytes { Any, Corners, Few, Equal };

constexpr std::uint8_t corners[] = {0xFF, 0x80, 0x7F, 0x01, 0x00, 0x81, 0x55, 0xAA};

/// `usual`: most of them, if they are equal.
std::uint8_t draw_byte(Draw& draw, Bytes kind, std::uint8_t usual)
{
    switch (kind) {
    case Bytes::Corners:
        return corners[draw.below(std::size(corners))];
    case Bytes::Few:
        return static_cast<std::uint8_t>(draw.one_in(8) ? draw.word() : 0);
    case Bytes::Equal:
        return draw.one_in(64) ? static_cast<std::uint8_t>(draw.word()) : usual;
    default:
        return static_cast<std::uint8_t>(draw.word());
    }
}

std::vector<std::uint8_t> draw_bytes(Draw& draw, std::uint64_t count)
{
    const auto kind = static_cast<Bytes>(draw.below(4));
    const std::uint8_t usual = corners[draw.below(3)];
    std::vector<std::uint8_t> bytes(count);
    for (std::uint8_t& byte : bytes)
        byte = draw_byte(draw, kind, usual);
    return bytes;
}

constexpr std::uint32_t large = 16; // rows or columns: then fewer pieces

/// Often whole pieces of `piece`, or one element more or less, or hardly any.
std::uint32_t draw_length(Draw& draw, std::uint32_t piece)
{
    const std::uint32_t most = piece < large ? 3 : 2;
    const std::uint32_t whole = piece * (1 + draw.below(most));
    switch (draw.below(5)) {
    case 0:
        return whole;
    case 1:
        return whole + 1;
    case 2:
        return whole - 1;
    case 3:
        return 1 + draw.below(2);
    default:
        return 1 + draw.below(most * piece);
    }
}

Product draw_product(Draw& draw, const Shape& shape)
{
    constexpr levee_type a_types[] = {LEVEE_TYPE_INT8, LEVEE_TYPE_INT16};
    constexpr levee_type b_types[] = {LEVEE_TYPE_INT8, LEVEE_TYPE_INT16, LEVEE_TYPE_INT4,
                                      LEVEE_TYPE_INT3};
    Product product;
    product.is_transposed = draw.one_in(2);
    product.m = !draw.one_in(shape.rows < large ? 2 : 6) ? 1 + draw.below(3)
                                                         : draw_length(draw, shape.rows);
    product.k = draw_length(draw, product.is_transposed ? shape.columns : shape.rows);
    product.n = draw_length(draw, product.is_transposed ? shape.rows : shape.columns);
    product.a_type = a_types[draw.below(std::size(a_types))];
    product.b_type = b_types[draw.below(std::size(b_types))];
    if (draw.one_in(3))
        product.group = 8 << draw.below(3);
    const std::uint32_t rows = product.is_transposed ? product.n : product.k;
    const std::uint32_t elements = product.is_transposed ? product.k : product.n;
    product.a = draw_bytes(draw, product.m * bytes_of(product.k, product.a_type));
    product.b = draw_bytes(draw, rows * bytes_of(elements, product.b_type));
    if (draw.one_in(8)) { // the largest sums: of low bytes
        std::ranges::fill(product.a, 0xFF);
        std::ranges::fill(product.b, 0xFF);
    }
    return product;
}

ArrayStimulus draw_array(std::uint32_t seed, std::uint64_t index, const Shape& shape)
{
    Draw draw(seed, index);
    ArrayStimulus stimulus;
    for (std::uint32_t i = 1 + draw.below(3); i > 0; --i)
        stimulus.work.products.push_back(draw_product(draw, shape));
    stimulus.work.block = draw.one_in(2) ? UINT32_MAX : 1 + draw.below(4);
    stimulus.has_gates = !draw.one_in(3);
    stimulus.gates_seed = draw.word();
    if (draw.one_in(2)) {
        stimulus.most_cycles = 1 + draw.below(draw.one_in(2) ? 3 * shape.lanes() : 100);
        stimulus.is_seen_idle = draw.one_in(4);
    }
    return stimulus;
}

class RsaBench final : public DesignBench<rsa::Ports, rsa::Driver> {
public:
    using DesignBench::DesignBench;

    [[nodiscard]] std::string describe(std::uint64_t index) const override
    {
        const ArrayStimulus stimulus = draw_array(seed(), index, size());
        const auto bits = [](levee_type type) { return std::to_string(bits_of_type(type)); };
        std::string text;
        for (const Product& product : stimulus.work.products)
            text += (text.empty() ? "" : " | ") + std::to_string(product.m) + " x " +
                    std::to_string(product.k) + " of " + bits(product.a_type) + " bits by " +
                    std::to_string(product.n) + " of " + bits(product.b_type) +
                    (product.is_transposed ? ", transposed" : "") +
                    (product.group == 0 ? "" : ", groups of " + std::to_string(product.group));
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
