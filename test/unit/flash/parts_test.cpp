// SPDX-License-Identifier: Apache-2.0
// Tests each part of a flash's operations on its own.
#include "ip/flash/checks.hpp"
#include "test/unit/flash/flash_bench.hpp"

using namespace levee;
using namespace levee::test;
using namespace levee::flash;

namespace {

/// Error-free cells of the small flash.
struct Pages {
    explicit Pages(DataMode data = DataMode::Functional, std::vector<FailedDie> failed = {})
        : failures(std::move(failed)), cells(config.cells), reader(config, failures, cells, data),
          products(config, reader)
    {
    }

    Config config = small_flash();
    Failures failures;
    Cells cells;
    PageReader reader;
    TileProducts products;
};

/// Returns a product of 5 rows and 24 columns of INT8 by INT8. A core has 3 rows of 8 columns in a
/// page.
levee_flash_operation small_product()
{
    levee_flash_operation op{};
    op.rows = 5;
    op.columns = 24;
    op.core_rows = 3;
    op.core_columns = 8;
    op.weight_bits = 8;
    op.input_bytes = 1;
    op.result_bytes = 4;
    return op;
}

levee_flash_operation data_pages(std::uint32_t count)
{
    levee_flash_operation op{};
    op.data_pages = count;
    return op;
}

std::string fault(std::uint8_t opcode, const levee_flash_operation& op)
{
    try {
        check(opcode, op, small_flash());
    } catch (const CommandFault& refused) {
        return std::to_string(refused.field - operation_field(0));
    }
    return "";
}

} // namespace

TEST_CASE("checks of an operation name the wrong member")
{
    using Op = levee_flash_operation;
    const auto with = [](std::uint8_t opcode, auto change) {
        Op op = small_product();
        change(op);
        return fault(opcode, op);
    };
    const auto at = [](std::size_t member) { return std::to_string(member); };
    CHECK(with(LEVEE_FLASH_COMPUTE, [](Op&) {}).empty());
    CHECK(with(LEVEE_FLASH_COMPUTE, [](Op& op) { op.weight_bits = 3; }) ==
          at(offsetof(Op, weight_bits)));
    CHECK(with(LEVEE_FLASH_COMPUTE, [](Op& op) { op.core_rows = 33; }) ==
          at(offsetof(Op, core_rows))); // 264 weights do not fit into a page of 256.
    CHECK(with(LEVEE_FLASH_COMPUTE, [](Op& op) { op.plane = 2; }) == at(offsetof(Op, plane)));
    CHECK(with(LEVEE_FLASH_COMPUTE, [](Op& op) { op.row_bytes = 8; }) ==
          at(offsetof(Op, row_bytes)));
    CHECK(with(LEVEE_FLASH_READ, [](Op&) {}) == at(offsetof(Op, rows)));
    const Op page = data_pages(1);
    CHECK(fault(LEVEE_FLASH_READ, page).empty());
    CHECK(fault(LEVEE_FLASH_READ, data_pages(0)) == at(offsetof(Op, data_pages)));
}

TEST_CASE("pages to be programmed must be erased and on a working die")
{
    const Config config = small_flash();
    Cells cells(config.cells);
    const levee_flash_operation page = data_pages(1);
    const auto is_writable = [&](std::uint8_t opcode, const Failures& failures) {
        try {
            check_writable(opcode, PageAccesses(config.cells.geometry, failures, page, 0), cells);
        } catch (const CommandFault& refused) {
            CHECK(refused.field == operation_field(offsetof(levee_flash_operation, data_page)));
            return false;
        }
        return true;
    };
    const Failures none({}), lost({{0, 0, 0, std::nullopt}});
    CHECK(is_writable(LEVEE_FLASH_PROGRAM, none));
    cells.program(0, std::vector<std::uint8_t>(256, 1), 0);
    CHECK_FALSE(is_writable(LEVEE_FLASH_PROGRAM, none));
    CHECK(is_writable(LEVEE_FLASH_ERASE, none));
    CHECK_FALSE(is_writable(LEVEE_FLASH_ERASE, lost));
}

TEST_CASE("the reader gives a page's data, zeros for a lost page, and nothing without payload")
{
    std::vector<std::uint8_t> bytes(300);
    std::vector<std::uint8_t> both(2 * 256, 7);
    for (const bool is_lost : {false, true}) {
        std::vector<FailedDie> failed;
        if (is_lost) // Consecutive pages alternate between channels, so page 1 is on channel 1.
            failed.push_back({1, 0, 0, std::nullopt});
        Pages pages(DataMode::Functional, failed);
        pages.cells.load(0, both);
        pages.reader.read_bytes(100, 300, bytes.data()); // The bytes cross the end of page 0.
        CHECK(bytes[0] == 7);
        CHECK(bytes[155] == 7);
        CHECK(bytes[156] == (is_lost ? 0 : 7));
        CHECK(pages.reader.lost_pages() == (is_lost ? 1 : 0));
    }
    Pages shapes(DataMode::TimingOnly);
    const levee_flash_operation op = data_pages(3);
    std::vector<std::uint8_t> none;
    shapes.reader.append_data(PageAccesses(shapes.config.cells.geometry, shapes.failures, op, 0),
                              none);
    CHECK(none.empty());
    CHECK(shapes.cells.counts().reads == 3);
}

TEST_CASE("cores' partial sums are those of the matrix, and idle parts are counted")
{
    Pages pages;
    const PlacedMatrix matrix = draw_matrix(small_product(), 5);
    const PageAccesses accesses(pages.config.cells.geometry, pages.failures, matrix.op, 0);
    accesses.for_each_tile_page([&](const PageAccess& page) {
        pages.cells.load(page.number * 256, page_of(matrix, page.part, 256));
    });
    std::vector<std::uint8_t> input(matrix.inputs.begin(), matrix.inputs.end());
    std::vector<std::int64_t> sums(5, 0);
    pages.products.multiply(matrix.op, accesses, input, sums);
    CHECK(sums == matrix.product());
    CHECK(figure(pages.products, "tiles") == accesses.tiles());
    CHECK(figure(pages.products, "idle_cores") > 0); // The matrix ends within a tile.

    std::vector<std::int64_t> none;
    pages.products.multiply(matrix.op, accesses, input, none);
    CHECK(none.empty());
}
