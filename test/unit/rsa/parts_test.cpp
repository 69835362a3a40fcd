// SPDX-License-Identifier: Apache-2.0
// Tests each part of a GEMM in a block that has nothing else.
#include "ip/rsa/declaration.hpp"
#include "ip/rsa/gemm_streams.hpp"
#include "test/unit/blocks/acting_block.hpp"

#include <functional>

using namespace levee;
using namespace levee::test;
using namespace levee::rsa;

namespace {

constexpr ArrayShape array{8, 8, 64, 128, true};

/// Returns two by three products of INT8, 4 x 16 by 16 x 8, with rows of 16 bytes in A and B.
levee_rsa_operation six_products(std::uint64_t at = memory_base)
{
    levee_rsa_operation op{};
    op.outer[0] = 2;
    op.outer[1] = 3;
    op.m1 = 1;
    op.m0 = 4;
    op.k = 16;
    op.n = 8;
    op.a_type = op.b_type = LEVEE_TYPE_INT8;
    op.flags = LEVEE_RSA_B_TRANSPOSED;
    op.alpha = 1.0f;
    op.a = at;
    op.b = at + 0x1000;
    op.out = at + 0x2000;
    const std::int32_t a[] = {1024, 256, 64, 16}, b[] = {512, 128, 16}, out[] = {768, 256, 128, 32};
    std::copy(std::begin(a), std::end(a), op.a_stride);
    std::copy(std::begin(b), std::end(b), op.b_stride);
    std::copy(std::begin(out), std::end(out), op.out_stride);
    return op;
}

GemmOperation read(const levee_rsa_operation& op)
{
    GemmOperation gemm;
    gemm.read(describe(LEVEE_RSA_GEMM, op));
    return gemm;
}

/// A block that only lists the products of each descriptor; the test does the rest.
struct Part : ActingBlock {
    Part()
        : ActingBlock(rsa::declaration, DataMode::Functional, {{"port", 1'000'000'000, 7'000}}),
          stored(queue), products(queue, gemm), streams_of_it(queue, gemm, products, stored)
    {
    }

    /// Returns the error code of an operation on which `what` is called.
    std::uint32_t prepare(const levee_rsa_operation& op,
                          const std::function<void(Operation&)>& what)
    {
        return with(LEVEE_RSA_GEMM, op,
                    [&](const levee_descriptor& descriptor, Operation& operation) {
                        gemm.read(descriptor);
                        products.read(stored);
                        what(operation);
                    });
    }

    GemmOperation gemm;
    StoredRows stored;
    ProductList products;
    GemmStreams streams_of_it;
};

} // namespace

TEST_CASE("an operation gives the places of the operands of each of its products")
{
    const GemmOperation gemm = read(six_products());
    const ProductGroup all{0, 6, 16, 8, 0, 0, 0, 4, 0};
    CHECK(gemm.product_count() == 6);
    CHECK(gemm.m() == 4);
    CHECK_FALSE(gemm.is_one_product());
    const AccessPattern a = gemm.part(gemm.a(all), 4); // This is product (1, 1).
    CHECK(a.address == memory_base + 1024 + 256);
    CHECK(a.run_bytes == 16);
    CHECK(a.count == std::array<std::uint64_t, 3>{1, 1, 4});
    const AccessPattern b = gemm.part(gemm.b(16, 8), 5);
    CHECK(b.address == memory_base + 0x1000 + 512 + 256);
    CHECK(b.count[2] == 8); // B is transposed, with a row for each column of the result.
    CHECK(gemm.columns_of(all, 2, 5).address == memory_base + 0x2000 + 2 * sizeof(float));
    CHECK(gemm.columns_of(all, 2, 5).run_bytes == 3 * sizeof(float));
    CHECK(gemm.row_elements(5) == 5);

    levee_rsa_operation streaming = six_products();
    streaming.out = LEVEE_STREAM(0);
    CHECK(read(streaming).row_elements(5) == 8); // Streams have the full width.
    levee_rsa_operation grouped = six_products();
    grouped.k = 256;
    grouped.flags |= LEVEE_RSA_GROUP(6u);
    grouped.b_scale = memory_base;
    CHECK(read(grouped).scale_group() == 64);
    CHECK(read(grouped).scales_of_column() == 4);
}

TEST_CASE("products are counted by the timing rule, and their bytes when they pass")
{
    const GemmOperation gemm = read(six_products());
    const std::vector<ProductGroup> groups = {{0, 5, 16, 8, 0, 0, 0, 4, 0},
                                              {5, 1, 16, 4, 0, 0, 0, 4, 0}};
    GemmTraffic traffic;
    const GemmCost cost = GemmCounter(array, gemm, 2).count(groups, traffic);
    CHECK(cost.macs == 5 * 4 * 16 * 8 + 4 * 16 * 4);
    CHECK(cost.byte_macs == 2 * cost.macs);
    CHECK(cost.folds == 6 * 2); // B has 16 rows, and the array 8.
    CHECK(cost.passes == 2 * cost.folds);
    CHECK(traffic.b == 5 * 16 * 8 + 16 * 4);
    CHECK(traffic.a == 6 * 4 * 16);
    CHECK(traffic.out == (5 * 8 + 4) * 4 * sizeof(float));
    CHECK(traffic.b_elsewhere == 0);
    const ProductCost one = cost_of(array, {4, 16, 8, 2, 8, 0}),
                      other = cost_of(array, {4, 16, 4, 2, 8, 0});
    ProductCost both;
    both.cycles = 5 * one.cycles + other.cycles;
    both.leaving = other.leaving;
    CHECK(cost.cycles == operation_cycles(array, both));
}

TEST_CASE("products of one size in a row are a group, and their lengths are words in memory")
{
    Part part;
    part.run([&] {
        levee_rsa_operation op = six_products();
        CHECK(part.prepare(op, [&](Operation&) {
            REQUIRE(part.products.groups().size() == 1);
            CHECK(part.products.groups()[0].count == 6);
            CHECK(part.products.elements() == 6 * 4 * 8);
        }) == LEVEE_ERROR_NONE);
        op.ragged = LEVEE_RSA_RAGGED_N;
        op.length_add = 1;
        op.lengths = part.put<std::uint32_t>({4, 4, 6, 6, 6, 1});
        op.lengths_stride[0] = 12;
        op.lengths_stride[1] = 4;
        std::vector<std::uint64_t> widths, firsts;
        std::size_t visited = 0;
        CHECK(part.prepare(op, [&](Operation&) {
            for (const ProductGroup& group : part.products.groups()) {
                widths.push_back(group.n);
                firsts.push_back(group.first);
            }
            part.products.for_each(1, 5, [&](const ProductGroup& one) {
                CHECK(one.count == 1);
                CHECK(one.out == (one.first < 2 ? one.first * 20 : 40 + (one.first - 2) * 28));
                ++visited;
            });
        }) == LEVEE_ERROR_NONE);
        CHECK(widths == std::vector<std::uint64_t>{5, 7, 2});
        CHECK(firsts == std::vector<std::uint64_t>{0, 2, 5});
        CHECK(visited == 4);
        op.lengths = part.put<std::uint32_t>({4, 4, 6, 6, 6, 8}); // One length would use 9 of 8
                                                                  // columns.
        CHECK(part.prepare(op, [](Operation&) {}) == LEVEE_ERROR_FIELD);
        CHECK(part.error_field == field_lengths);
    });
}

TEST_CASE("streams carry all bytes of an operand, and the first stream the remainder")
{
    Part part;
    part.run([&] {
        levee_rsa_operation op = six_products();
        op.a_stride[0] = 0; // No nest of three loops fits, so each o0 has a stream.
        op.a_stride[1] = 4096;
        const auto bytes = [&](const GemmTraffic& traffic) {
            std::uint64_t all = 0;
            CHECK(part.prepare(op, [&](Operation& operation) {
                part.streams_of_it.open(operation, traffic);
                for (const FlowUse& use : operation.job.activity.uses)
                    all += use.bytes;
            }) == LEVEE_ERROR_NONE);
            return all;
        };
        GemmTraffic traffic;
        traffic.a = 1001;
        traffic.b = 640;
        traffic.out = 768;
        // The bytes pass through the link and the memory.
        CHECK(bytes(traffic) == 2 * (1001 + 640 + 768));
        op.tap = 2;
        CHECK(part.prepare(op, [&](Operation& operation) {
            part.streams_of_it.open(operation, traffic);
        }) == LEVEE_ERROR_STREAM);
        CHECK(part.error_field == field_tap);
    });
}
