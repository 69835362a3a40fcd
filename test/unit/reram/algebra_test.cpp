// SPDX-License-Identifier: Apache-2.0
// Tests ReTransformer's matrix decomposition in integers, in crossbars: Q K^T = (Q W_K^T) X^T and S
// V = (S X) W_V. For random shapes, both sides must be equal bit for bit.
#include "ip/reram/model.hpp"

#include <catch2/catch.hpp>

#include <random>

using namespace levee::reram;

namespace {

using Matrix = std::vector<std::int32_t>; // The elements row by row.

struct Shape {
    std::uint32_t tokens, dim, head;
};

Matrix draw(std::mt19937& random, std::size_t elements, std::int32_t most)
{
    Matrix matrix(elements);
    for (std::int32_t& element : matrix)
        element = static_cast<std::int32_t>(random() % static_cast<unsigned>(2 * most + 1)) - most;
    return matrix;
}

/// Multiplies each row of `x` by a matrix in crossbars.
Matrix through(const TiledMatrix& matrix, Access access, const Matrix& x, std::size_t width,
               std::uint32_t bits)
{
    Matrix y;
    for (std::size_t row = 0; row < x.size() / width; ++row)
        for (const double value :
             matrix.multiply(access, std::span(x).subspan(row * width, width), {bits, true}, row))
            y.push_back(static_cast<std::int32_t>(value));
    return y;
}

Crossbar exact_crossbar(std::mt19937& random)
{
    Crossbar crossbar;
    crossbar.rows = 4 + random() % 29;
    crossbar.columns = 4 + random() % 29;
    crossbar.cell_bits = 1 + random() % 4;
    crossbar.mapping = random() % 2 == 0 ? Mapping::Differential : Mapping::Offset;
    crossbar.adc = {12, AdcRange::Unit, 0, 0}; // 32 lines of 15 levels fit the converter.
    return crossbar;
}

} // namespace

TEST_CASE("decomposed and plain products are equal bit for bit over random shapes")
{
    std::mt19937 random(16);
    for (int i = 0; i < 60; ++i) {
        const Shape shape{1 + static_cast<std::uint32_t>(random() % 20),
                          1 + static_cast<std::uint32_t>(random() % 40),
                          1 + static_cast<std::uint32_t>(random() % 16)};
        const Crossbar crossbar = exact_crossbar(random);
        INFO(shape.tokens << " x " << shape.dim << " x " << shape.head << ", cells of "
                          << crossbar.cell_bits);
        const auto store = [&](std::uint32_t outputs, std::uint32_t inputs, const Matrix& matrix,
                               std::uint32_t bits) {
            return TiledMatrix(crossbar, bits, 1, outputs, inputs, matrix);
        };
        const Matrix x = draw(random, shape.tokens * shape.dim, 7);
        const Matrix q = draw(random, shape.tokens * shape.head, 31);
        const Matrix s = draw(random, shape.tokens * shape.tokens, 31);
        const TiledMatrix w_k =
            store(shape.head, shape.dim, draw(random, shape.head * shape.dim, 7), 8);
        const TiledMatrix w_v =
            store(shape.head, shape.dim, draw(random, shape.head * shape.dim, 7), 8);
        // This is the only copy of X in crossbars.
        const TiledMatrix its_x = store(shape.tokens, shape.dim, x, 8);
        // Without decomposition, K and V are computed and then written.
        const TiledMatrix k =
            store(shape.tokens, shape.head, through(w_k, Access::Columns, x, shape.dim, 3), 16);
        const TiledMatrix v =
            store(shape.tokens, shape.head, through(w_v, Access::Columns, x, shape.dim, 3), 16);
        const Matrix r = through(w_k, Access::Rows, q, shape.head, 5);
        CHECK(through(its_x, Access::Columns, r, shape.dim, 24) ==
              through(k, Access::Columns, q, shape.head, 5));
        const Matrix p = through(its_x, Access::Rows, s, shape.tokens, 5);
        CHECK(through(w_v, Access::Columns, p, shape.dim, 24) ==
              through(v, Access::Rows, s, shape.tokens, 5));
    }
}
