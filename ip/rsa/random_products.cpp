// SPDX-License-Identifier: Apache-2.0
#include "ip/rsa/random_products.hpp"

#include "core/numerics/tensor.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

namespace levee::cosim {

namespace {

enum class Bytes { Any, Corners, Few, Equal };

constexpr std::uint8_t corners[] = {0xFF, 0x80, 0x7F, 0x01, 0x00, 0x81, 0x55, 0xAA};

/// Draws a byte. `usual` is the value of most bytes of this operand, if `kind` selects equal bytes.
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

constexpr std::uint32_t large = 16; // Products on arrays of this size or more have fewer pieces.

/// Draws a length: often a multiple of `piece`, or one more or less, or very small.
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

void draw_types(Draw& draw, rsa::Product& product)
{
    constexpr levee_type a_types[] = {LEVEE_TYPE_INT8, LEVEE_TYPE_INT16};
    constexpr levee_type b_types[] = {LEVEE_TYPE_INT8, LEVEE_TYPE_INT16, LEVEE_TYPE_INT4,
                                      LEVEE_TYPE_INT3};
    product.a_type = a_types[draw.below(std::size(a_types))];
    product.b_type = b_types[draw.below(std::size(b_types))];
}

void draw_operands(Draw& draw, rsa::Product& product)
{
    const std::uint32_t rows = product.is_transposed ? product.n : product.k;
    const std::uint32_t elements = product.is_transposed ? product.k : product.n;
    product.a = draw_bytes(draw, product.m * bytes_of(product.k, product.a_type));
    product.b = draw_bytes(draw, rows * bytes_of(elements, product.b_type));
}

} // namespace

rsa::Product draw_product(Draw& draw, std::uint32_t array_rows, std::uint32_t array_columns)
{
    rsa::Product product;
    product.is_transposed = draw.one_in(2);
    product.m = !draw.one_in(array_rows < large ? 2 : 6) ? 1 + draw.below(3)
                                                         : draw_length(draw, array_rows);
    product.k = draw_length(draw, product.is_transposed ? array_columns : array_rows);
    product.n = draw_length(draw, product.is_transposed ? array_rows : array_columns);
    draw_types(draw, product);
    if (draw.one_in(3))
        product.group = 8 << draw.below(3);
    draw_operands(draw, product);
    if (draw.one_in(8)) { // Low bytes of 0xFF give the largest sums.
        std::ranges::fill(product.a, 0xFF);
        std::ranges::fill(product.b, 0xFF);
    }
    return product;
}

rsa::Product draw_product_of(Draw& draw, std::uint32_t m, std::uint32_t k, std::uint32_t n,
                             bool is_transposed)
{
    rsa::Product product;
    product.m = m;
    product.k = k;
    product.n = n;
    product.is_transposed = is_transposed;
    draw_types(draw, product);
    draw_operands(draw, product);
    return product;
}

std::string describe_products(std::span<const rsa::Product> products)
{
    const auto bits = [](levee_type type) { return std::to_string(bits_of_type(type)); };
    std::string text;
    for (const rsa::Product& product : products)
        text += (text.empty() ? "" : " | ") + std::to_string(product.m) + " x " +
                std::to_string(product.k) + " of " + bits(product.a_type) + " bits by " +
                std::to_string(product.n) + " of " + bits(product.b_type) +
                (product.is_transposed ? ", transposed" : "") +
                (product.group == 0 ? "" : ", groups of " + std::to_string(product.group));
    return text;
}

} // namespace levee::cosim
