// SPDX-License-Identifier: Apache-2.0
// Tests that a timing-only run of products differs from a functional run only in the numbers that
// it does not compute.
#include "core/command/decision_statistics.hpp"
#include "ip/rsa/module.hpp"
#include "test/unit/blocks/random_product.hpp"
#include "test/unit/rsa/more_memory.hpp"

#include <cstddef>

namespace {

using namespace levee;
using namespace levee::test;

using Op = levee_rsa_operation;
constexpr unsigned functional = 0, timing_only = 1; // numbers of the blocks

struct Twins : Bench {
    static constexpr rsa::ArrayShape array{8, 8, 16, 5, true};
    DecisionStatistics statistics{};
    Fabric shapes{flows, sync, streams, DataMode::TimingOnly, {}};
    rsa::Rsa real{"real", {Clock{1'000'000'000}, array, false, queue_config}, fabric};
    rsa::Rsa shape;
    MoreMemory more{"more", 64'000'000'000, 5'000};
    Asked asked[2];

    explicit Twins(bool statistical = false)
        : Bench("bench"), shape("shape", {Clock{1'000'000'000}, array, false, queue_config},
                                with(shapes, statistical ? &statistics : nullptr))
    {
        connect(real.queue);
        connect(shape.queue);
        levee::test::connect(*this, more, 2);
        real.queue.observe(asked[functional]);
        shape.queue.observe(asked[timing_only]);
    }
    static Fabric with(Fabric fabric, const DecisionStatistics* statistics)
    {
        fabric.decisions.statistics = statistics;
        return fabric;
    }

    Outcome execute_on(unsigned block, levee_descriptor descriptor)
    {
        return levee::test::execute_on(*this, more, block, descriptor);
    }
    /// Executes on both blocks. The test fails on any difference, and if the timing-only block
    /// changes a byte.
    std::uint32_t compare(const levee_descriptor& descriptor)
    {
        const auto before = bytes_in(*this, more);
        const Outcome other = execute_on(timing_only, descriptor);
        CHECK(bytes_in(*this, more) == before);
        const Outcome one = execute_on(functional, descriptor);
        check_same(one, asked[functional], other, asked[timing_only]);
        return one.error;
    }

    /// Moves the address to the corresponding place in the other memory.
    static void move_there(std::uint64_t& address)
    {
        if (address != 0)
            address += more_base - memory_base;
    }
};

/// Moves some operands, selected by the bits of `which`, to the memory that tracks accesses.
void spread(Op& op, std::uint32_t which)
{
    std::uint64_t* const tensors[] = {&op.a, &op.b, &op.a_scale, &op.b_scale, &op.bias, &op.out};
    for (std::size_t i = 0; i < std::size(tensors); ++i)
        if ((which >> i & 1) != 0)
            Twins::move_there(*tensors[i]);
}

/// Redirects rows of B by a table of random words.
std::uint64_t redirect_of(Twins& system, const Op& op, std::uint32_t seed, bool tracked)
{
    const std::uint32_t stored = (op.flags & LEVEE_RSA_B_TRANSPOSED) != 0 ? op.n : op.k;
    const auto pitch = static_cast<std::uint64_t>(op.b_stride[2]);
    std::vector<std::uint32_t> words(std::size_t{op.outer[0]} * op.outer[1] * stored);
    for (std::uint32_t i = 0; i < words.size(); ++i)
        words[i] = random_word(seed, 9, i) % 3 == 0 ? random_word(seed, 8, i) % stored
                                                    : LEVEE_RSA_ROW_HERE;
    levee_rsa_redirect redirect{};
    redirect.base = system.take(pitch * words.size());
    if (tracked)
        Twins::move_there(redirect.base);
    redirect.base_stride[2] = static_cast<std::int32_t>(pitch);
    redirect.base_stride[1] = static_cast<std::int32_t>(pitch * stored);
    redirect.base_stride[0] = redirect.base_stride[1] * op.outer[1];
    redirect.table_stride[1] = static_cast<std::int32_t>(4 * stored);
    redirect.table_stride[0] = redirect.table_stride[1] * op.outer[1];
    redirect.table = system.put(words);
    return system.put(std::vector<levee_rsa_redirect>{redirect});
}

} // namespace

TEST_CASE("a timing-only product has the functional product's accesses and times")
{
    Twins system;
    system.run([&] {
        const std::uint64_t mark = system.mark();
        std::uint32_t accounted = 0, redirected = 0;
        for (std::uint32_t seed = 0; seed < 600; ++seed) {
            system.release(mark);
            Product product(system, seed);
            const std::uint32_t draw = random_word(seed, 7, 0);
            if ((draw >> 8) % 3 == 0)
                product.leave_groups_out();
            Op op = product.op;
            spread(op, draw);
            if ((draw >> 8) % 3 == 0)
                op.redirect = redirect_of(system, op, seed, (draw >> 16 & 1) != 0);
            if ((draw >> 10) % 3 == 0) // All products of an o0 share one length.
                op.lengths_stride[1] = 0;
            levee_descriptor descriptor = describe(LEVEE_RSA_GEMM, op);
            if ((draw >> 12) % 2 == 0)
                descriptor.signal_every[0] = 1 + (draw >> 13) % 3;
            if ((draw >> 17) % 2 == 0)
                descriptor.flags = LEVEE_DESC_LAST_READ_0 | LEVEE_DESC_LAST_READ_1;
            INFO("seed " << seed);
            CHECK(system.compare(descriptor) == LEVEE_ERROR_NONE);
            accounted += system.more.account.empty() ? 0 : 1;
            redirected += op.redirect != 0 ? 1 : 0;
        }
        CHECK(accounted > 500);
        CHECK(redirected > 150);
    });
}

TEST_CASE("only rows that begin on row boundaries are reported together")
{
    Twins system;
    system.run([&] {
        for (const std::uint32_t width : {32u, 16u, 33u}) { // The rows have 64, 32 and 66 bytes.
            Op op{};
            op.outer[0] = 2;
            op.outer[1] = 3;
            op.m1 = 4;
            op.m0 = 1;
            op.k = op.n = width;
            op.a_type = op.b_type = LEVEE_TYPE_INT16;
            op.flags = LEVEE_RSA_B_TRANSPOSED;
            op.alpha = 1.0f;
            const auto row = static_cast<std::int32_t>(2 * width);
            const std::int32_t of_a[] = {12 * row, 4 * row, row, 0};
            const std::int32_t of_b[] = {0, static_cast<std::int32_t>(width) * row, row};
            const std::int32_t of_out[] = {24 * row, 8 * row, 2 * row, 0};
            std::copy_n(of_a, 4, op.a_stride);
            std::copy_n(of_b, 3, op.b_stride);
            std::copy_n(of_out, 4, op.out_stride);
            op.a = more_base;
            op.b = more_base + 0x10000;
            op.out = more_base + 0x20000;
            INFO("width " << width);
            CHECK(system.compare(describe(LEVEE_RSA_GEMM, op)) == LEVEE_ERROR_NONE);
        }
    });
}

TEST_CASE("a timing-only run refuses the same fields as a functional run")
{
    Twins system;
    system.run([&] {
        const std::uint64_t mark = system.mark();
        std::uint32_t refused = 0;
        for (std::uint32_t seed = 0; seed < 600; ++seed) {
            system.release(mark);
            Product product(system, seed);
            Op op = product.op;
            if (seed % 3 == 0)
                op.redirect = redirect_of(system, op, seed, false);
            // Draws addresses, strides, flags and types. Sizes stay the same, so that a functional
            // run can do the work.
            auto* const bytes = reinterpret_cast<std::uint8_t*>(&op);
            const std::size_t within = seed % 2 == 0 ? offsetof(Op, outer) : 4;
            const std::size_t from = seed % 2 == 0 ? 0 : offsetof(Op, a_type);
            bytes[from + random_word(seed, 6, 0) % within] ^=
                static_cast<std::uint8_t>(1 + random_word(seed, 6, 1) % 255);
            INFO("seed " << seed);
            refused += system.compare(describe(LEVEE_RSA_GEMM, op)) != LEVEE_ERROR_NONE ? 1 : 0;
        }
        CHECK(refused > 200);
        CHECK(refused < 600);
    });
}

namespace {

/// Returns six products with forty rows of 64 bytes each.
Op six_products(Twins& system)
{
    Op op{};
    op.outer[0] = 2;
    op.outer[1] = 3;
    op.m1 = op.m0 = 1;
    op.k = 32;
    op.n = 40;
    op.a_type = op.b_type = LEVEE_TYPE_INT16;
    op.flags = LEVEE_RSA_B_TRANSPOSED;
    op.alpha = 1.0f;
    op.b_stride[2] = 64;
    op.b_stride[1] = 40 * 64;
    op.b_stride[0] = 3 * 40 * 64;
    op.out_stride[1] = 160;
    op.out_stride[0] = 480;
    op.a = system.take(64);
    op.b = system.take(6 * 40 * 64);
    op.out = system.take(6 * 160);
    return op;
}

} // namespace

TEST_CASE("with statistics, the rows elsewhere are all common rows and the share that a head uses")
{
    Twins system(true);
    system.statistics.holders = 0.6;
    system.run([&] {
        Op op = six_products(system);
        levee_rsa_redirect redirect{};
        redirect.table = memory_base + 4; // Statistical runs never read this table.
        redirect.base = more_base;
        redirect.base_stride[2] = 64;
        redirect.base_stride[1] = 10 * 64;
        redirect.base_stride[0] = 30 * 64;
        redirect.common = 1;
        redirect.partial = 9;
        op.redirect = system.put(std::vector<levee_rsa_redirect>{redirect});
        const auto result = system.execute_on(timing_only, describe(LEVEE_RSA_GEMM, op));
        CHECK(result.error == LEVEE_ERROR_NONE);
        // For each of 6 products, 1 + 0.6 x 9 = 6.4 rows of 64 bytes are elsewhere; the other 34
        // come from B.
        CHECK(system.more.streamed[0] == 6 * 6 * 64);
        CHECK(result.account.size() == 6 * 6 * 2);
        const auto& uses = system.asked[timing_only].uses;
        CHECK(std::any_of(uses.begin(), uses.end(), [](const auto& use) {
            return std::get<0>(use) == "bench.memory" && std::get<3>(use) == 6 * 34 * 64;
        }));
        // There are fewer rows than this.
        redirect.partial = 1000;
        op.redirect = system.put(std::vector<levee_rsa_redirect>{redirect});
        system.more.streamed[0] = 0;
        CHECK(system.execute_on(timing_only, describe(LEVEE_RSA_GEMM, op)).error ==
              LEVEE_ERROR_NONE);
        CHECK(system.more.streamed[0] == 6 * 40 * 64);
    });
}

namespace {

/// By its table, every product has two rows elsewhere; by the statistics, 24 of 48.
std::uint64_t held_by_half(Twins& system, std::uint64_t base = more_base)
{
    levee_rsa_redirect redirect{};
    redirect.base = base;
    redirect.base_stride[2] = 64;
    redirect.common = 2;
    redirect.partial = 48;
    return system.put(std::vector<levee_rsa_redirect>{redirect});
}

} // namespace

TEST_CASE("free held rows are neither read nor loaded, but multiplied like all others")
{
    Twins system(true);
    system.statistics.holders = 0.5;
    system.run([&] {
        Op op = six_products(system);
        op.redirect = held_by_half(system);
        const auto macs = [&] {
            std::uint64_t count = 0;
            for (const auto& [event, number] : system.asked[timing_only].work)
                count += number;
            return count;
        };
        CHECK(system.execute_on(timing_only, describe(LEVEE_RSA_GEMM, op)).error ==
              LEVEE_ERROR_NONE);
        const auto all_macs = macs();
        const auto all_ps = system.asked[timing_only].minimum;
        system.more.streamed[0] = 0;
        op.flags |= LEVEE_RSA_PARTIAL_FREE;
        CHECK(system.execute_on(timing_only, describe(LEVEE_RSA_GEMM, op)).error ==
              LEVEE_ERROR_NONE);
        CHECK(macs() == all_macs);
        CHECK(system.more.streamed[0] == 6 * 2 * 64);
        const auto& uses = system.asked[timing_only].uses;
        CHECK(std::any_of(uses.begin(), uses.end(), [](const auto& use) {
            return std::get<0>(use) == "bench.memory" && std::get<3>(use) == 6 * 14 * 64;
        }));
        // On 8 x 8, a fold of 16 bits loads 128 bytes in 8 of 16 cycles. 16 rows take 2 x 4 folds
        // of 8 cycles. The 3 x 4 folds of the other 24 rows take one row of A in four passes.
        CHECK(all_ps == 1000 * (6 * 20 * 8 + 14));
        CHECK(system.asked[timing_only].minimum == 1000 * (6 * (8 * 8 + 12 * 4) + 14));
    });
}

TEST_CASE("free held rows need no space in memory")
{
    Twins system(true);
    system.statistics.holders = 0.5;
    system.run([&] {
        Op op = six_products(system);
        const std::uint64_t two_rows = more_base + memory_bytes - 2 * 64;
        op.redirect = held_by_half(system, two_rows);
        CHECK(system.execute_on(timing_only, describe(LEVEE_RSA_GEMM, op)).error ==
              LEVEE_ERROR_ADDRESS);
        op.flags |= LEVEE_RSA_PARTIAL_FREE;
        const auto result = system.execute_on(timing_only, describe(LEVEE_RSA_GEMM, op));
        CHECK(result.error == LEVEE_ERROR_NONE);
        CHECK(result.account.size() == 2 * 2); // Both rows, in units of 32 bytes.
    });
}

TEST_CASE("no rows are free if no rows are elsewhere")
{
    Twins system(true);
    system.run([&] {
        Op op = six_products(system);
        op.flags |= LEVEE_RSA_PARTIAL_FREE;
        const auto refused = system.execute_on(timing_only, describe(LEVEE_RSA_GEMM, op));
        CHECK(refused.error == LEVEE_ERROR_FIELD);
        CHECK(refused.field == operation_field(offsetof(Op, flags)));
    });
}

TEST_CASE("no rows are free if tables say which rows are elsewhere")
{
    Twins exact;
    exact.run([&] {
        Op op = six_products(exact);
        op.redirect = redirect_of(exact, op, 1, false);
        op.flags |= LEVEE_RSA_PARTIAL_FREE;
        CHECK(exact.execute_on(timing_only, describe(LEVEE_RSA_GEMM, op)).error ==
              LEVEE_ERROR_FIELD);
        CHECK(exact.execute_on(functional, describe(LEVEE_RSA_GEMM, op)).error ==
              LEVEE_ERROR_FIELD);
    });
}

TEST_CASE("multiplications are counted pass by pass over actual elements, not over padding")
{
    Twins system;
    system.run([&] {
        Op op{};
        op.outer[0] = op.outer[1] = op.m0 = 1;
        op.m1 = 3;
        op.k = 13;
        op.n = 11;
        op.a_type = LEVEE_TYPE_INT16;
        op.b_type = LEVEE_TYPE_INT8;
        op.alpha = 1.0f;
        op.a_stride[2] = 26;
        op.b_stride[2] = 11;
        op.out_stride[2] = 44;
        op.a = system.take(78);
        op.b = system.take(143);
        op.out = system.take(132);
        CHECK(system.compare(describe(LEVEE_RSA_GEMM, op)) == LEVEE_ERROR_NONE);
        using Work = std::vector<std::pair<std::string, std::uint64_t>>;
        CHECK(system.asked[timing_only].work == Work{{"mac", 3 * 13 * 11 * 2}});
    });
}
