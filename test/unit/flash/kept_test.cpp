// SPDX-License-Identifier: Apache-2.0
// Multiplies a placed matrix by a vector. The cores' rows and the rows read for the NPU together
// must equal the host's product, for any division of the matrix.
#include "ip/flash/placing.hpp"
#include "test/unit/flash/flash_bench.hpp"

using namespace levee;
using namespace levee::test;

namespace {

struct Case {
    double alpha;
    levee_type type;
    levee_flash_split split;
};

constexpr std::uint32_t rows = 60, columns = 50;

/// A random matrix and vector. The matrix's rows fill whole bytes in either type.
struct Drawn {
    std::vector<std::uint8_t> bytes, vector;
    ModelMatrix matrix;

    explicit Drawn(levee_type type)
    {
        flash::test::Random random(21);
        const std::uint32_t row_bytes = type == LEVEE_TYPE_INT8 ? columns : columns / 2;
        for (std::uint32_t i = 0; i < rows * row_bytes; ++i)
            bytes.push_back(static_cast<std::uint8_t>(random.below(256)));
        for (std::uint32_t i = 0; i < columns; ++i)
            vector.push_back(static_cast<std::uint8_t>(random.below(256)));
        matrix = {1, 0, type, rows, columns, row_bytes, bytes};
    }
};

/// Returns one row of packed weights times the vector.
std::int32_t product_of(const Drawn& drawn, std::span<const std::uint8_t> row)
{
    const flash::ProductFormat format{drawn.matrix.type == LEVEE_TYPE_INT8 ? 8u : 4u, 1};
    std::int32_t sum = 0;
    for (std::uint32_t c = 0; c < columns; ++c)
        sum += flash::weight_at(format, row, c) * flash::input_at(format, drawn.vector, c);
    return sum;
}

std::vector<std::int32_t> products_of(const Drawn& drawn, std::span<const std::uint8_t> bytes,
                                      std::uint32_t count)
{
    std::vector<std::int32_t> sums;
    for (std::uint32_t r = 0; r < count; ++r)
        sums.push_back(product_of(drawn, bytes.subspan(r * drawn.matrix.row_bytes)));
    return sums;
}

levee_flash_operation operation_of(const levee_flash_kept& kept)
{
    levee_flash_operation op{};
    op.rows = kept.flash_rows;
    op.columns = kept.flash_rows == 0 ? 0 : kept.columns;
    op.core_rows = kept.flash_rows == 0 ? 0 : kept.core_rows;
    op.core_columns = kept.flash_rows == 0 ? 0 : kept.core_columns;
    op.page = kept.flash_rows == 0 ? 0 : kept.page;
    op.plane = kept.plane;
    op.split = kept.split;
    op.rest_shift = kept.flash_rows == 0 ? 0 : kept.rest_shift;
    op.weight_bits = kept.weight_bits;
    op.input_bytes = kept.input_bytes;
    op.result_bytes = kept.result_bytes;
    op.data_page = kept.data_page;
    op.data_pages = kept.data_pages;
    op.data_plane = kept.data_plane;
    return op;
}

void check_case(FlashBench& bench, flash::Placer& placer, const Case& which)
{
    const Drawn drawn(which.type);
    const levee_flash_kept kept = placer.place(drawn.matrix);
    placer.write(drawn.matrix, kept,
                 [&](std::uint64_t offset, std::span<const std::uint8_t> bytes) {
                     bench.flashes[0]->load(offset, bytes);
                 });
    levee_flash_operation op = operation_of(kept);
    op.input = bench.put(drawn.vector);
    op.result = bench.take(rows * 4);
    op.data = bench.take(std::uint64_t{kept.data_pages} * 256);
    const std::uint8_t opcode = kept.flash_rows != 0 ? LEVEE_FLASH_COMPUTE : LEVEE_FLASH_READ;
    Picoseconds took = 0;
    CHECK(bench.timed(opcode, op, took) == LEVEE_ERROR_NONE);
    std::vector<std::int32_t> sums = bench.get<std::int32_t>(op.result, kept.flash_rows);
    const std::vector<std::uint8_t> read =
        bench.get<std::uint8_t>(op.data, std::size_t{kept.data_pages} * 256);
    const std::vector<std::int32_t> rest = products_of(drawn, read, rows - kept.flash_rows);
    sums.insert(sums.end(), rest.begin(), rest.end());
    CHECK(sums == products_of(drawn, drawn.bytes, rows));
}

} // namespace

TEST_CASE("cores and NPU together compute the host's product for any division")
{
    flash::Config config = small_flash();
    config.cells.geometry.blocks = 64; // There are enough blocks for all divisions.
    FlashBench bench({config});
    bench.run([&] {
        for (const double alpha : {0.0, 0.3, 0.6, 1.0})
            for (const levee_type type : {LEVEE_TYPE_INT8, LEVEE_TYPE_INT4})
                for (const auto split : {LEVEE_FLASH_SPLIT_SHARED, LEVEE_FLASH_SPLIT_DIAGONAL}) {
                    flash::PlacingConfig placing;
                    placing.share = FLASH_SHARE_FIXED;
                    placing.alpha = static_cast<std::uint32_t>(alpha * FLASH_ALPHA_ONE);
                    placing.split = split;
                    flash::Placer placer(config.cells.geometry, config.channels.front(), 256,
                                         placing);
                    check_case(bench, placer, {alpha, type, split});
                }
    });
    CHECK(bench.count("computed_pages") > 0);
    CHECK(bench.count("read_pages") > 0);
}
