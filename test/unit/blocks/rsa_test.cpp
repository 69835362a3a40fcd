// SPDX-License-Identifier: Apache-2.0
#include "core/numerics/numerics.hpp"
#include "core/numerics/tensor.hpp"
#include "ip/rsa/model.hpp"
#include "ip/rsa/module.hpp"
#include "test/unit/blocks/bench.hpp"
#include "test/unit/blocks/random_product.hpp"

#include <algorithm>
#include <cstddef>

namespace {

using namespace levee;
using namespace levee::test;

// This memory is fast enough not to be the bottleneck.
constexpr std::uint64_t fast_memory = 256'000'000'000;
constexpr rsa::ArrayShape square32{32, 32, 128, 1024, true};

struct System : Bench {
    rsa::Rsa rsa;

    explicit System(const rsa::ArrayShape& array = square32, bool single_pass = false,
                    std::uint64_t rate = fast_memory)
        : Bench("bench", {}, rate),
          rsa("rsa", {Clock{1'000'000'000}, array, single_pass, queue_config}, fabric)
    {
        connect(rsa.queue);
    }

    /// Returns the time from the doorbell to the completion signal, less the fetch and the memory's
    /// latency.
    Picoseconds duration(const levee_rsa_operation& gemm)
    {
        levee_descriptor descriptor = describe(LEVEE_RSA_GEMM, gemm);
        descriptor.signal_counter[0] = 0;
        descriptor.signal_add[0] = 1;
        const std::uint32_t before = sync.value(0);
        submit(0, {descriptor});
        const Picoseconds begun = now_ps() - hop;
        while (sync.value(0) == before)
            sc_core::wait(sync.changed(0));
        return now_ps() - begun - fetch - hop - memory_latency;
    }
};

using Op = levee_rsa_operation;

/// Returns a product of zeros; times do not depend on the data.
Op plain(System& system, std::uint16_t m, std::uint32_t k, std::uint32_t n, std::uint8_t a_type,
         std::uint8_t b_type)
{
    Op op{};
    op.outer[0] = op.outer[1] = op.m0 = 1;
    op.m1 = m;
    op.k = k;
    op.n = n;
    op.a_type = a_type;
    op.b_type = b_type;
    op.flags = LEVEE_RSA_B_TRANSPOSED;
    op.alpha = 1.0f;
    op.a_stride[2] = static_cast<std::int32_t>(bytes_of(k, a_type));
    op.b_stride[2] = static_cast<std::int32_t>(bytes_of(k, b_type));
    op.out_stride[2] = static_cast<std::int32_t>(4 * n);
    op.a = system.take(m * bytes_of(k, a_type));
    op.b = system.take(n * bytes_of(k, b_type));
    op.out = system.take(4ull * m * n);
    return op;
}

constexpr Picoseconds cycle = 1000;

/// Counts the bytes of B on the bus.
struct BytesOfB : bus::BusObserver {
    explicit BytesOfB(Sight sight) : needed(sight) {}
    void passed(const bus::Transaction& transaction) override
    {
        const std::uint64_t address = transaction.payload->get_address();
        if (transaction.payload->is_read() && address >= first && address < last)
            bytes += transaction.payload->get_data_length();
    }
    [[nodiscard]] Sight needs(const bus::Mapping&) const override { return needed; }

    Sight needed;
    std::uint64_t first = 0, last = 0, bytes = 0;
};

/// Returns the bytes of B on the bus in random products. Compares their results with the reference.
std::uint64_t bytes_of_b_carried(bus::BusObserver::Sight sight)
{
    BytesOfB watch(sight);
    System system({8, 8, 16, 5, true});
    system.bus.observe(watch);
    system.run([&] {
        const std::uint64_t mark = system.mark();
        for (std::uint32_t seed = 0; seed < 100; ++seed) {
            system.release(mark);
            Product product(system, seed);
            watch.first = product.op.b;
            watch.last = watch.first + static_cast<std::uint64_t>(product.op.b_stride[0]);
            product.fill_output();
            INFO("seed " << seed);
            CHECK(system.execute(0, describe(LEVEE_RSA_GEMM, product.op)) == LEVEE_ERROR_NONE);
            CHECK(product.output() == product.expected());
        }
    });
    return watch.bytes;
}

} // namespace

TEST_CASE("random products equal the reference row by row, and write nothing else")
{
    System system({8, 8, 16, 5, true});
    system.run([&] {
        const std::uint64_t mark = system.mark();
        for (std::uint32_t seed = 0; seed < 400; ++seed) {
            system.release(mark);
            Product product(system, seed);
            product.fill_output();
            INFO("seed " << seed);
            CHECK(system.execute(0, describe(LEVEE_RSA_GEMM, product.op)) == LEVEE_ERROR_NONE);
            CHECK(product.output() == product.expected());
        }
    });
}

TEST_CASE("matrices in plain memory are read directly, with and without gaps between rows")
{
    CHECK(bytes_of_b_carried(bus::BusObserver::Sight::Nothing) == 0);
}

TEST_CASE("matrices pass over the bus if an observer must see them")
{
    CHECK(bytes_of_b_carried(bus::BusObserver::Sight::Everything) > 100'000);
}

TEST_CASE("the array reports its size in registers")
{
    System system({24, 16, 16, 64, true});
    system.run([&] {
        CHECK(system.reg(0, LEVEE_RSA_ROWS) == 24);
        CHECK(system.reg(0, LEVEE_RSA_COLUMNS) == 16);
    });
}

TEST_CASE("partial signals: column folds of one product, iterations of several")
{
    System system({8, 8, 16, 64, true});
    system.run([&] {
        for (std::uint32_t seed = 0; seed < 40; ++seed) {
            Product product(system, seed);
            if ((product.op.flags & LEVEE_RSA_ACCUMULATE) !=
                0) // The results may happen to equal the old contents.
                continue;
            product.fill_output();
            levee_descriptor descriptor = describe(LEVEE_RSA_GEMM, product.op);
            descriptor.signal_counter[0] = 0;
            descriptor.signal_add[0] = 1;
            descriptor.signal_every[0] = 1;
            system.write(sync_base + LEVEE_SYNC_VALUE(0), 0);
            system.submit(0, {descriptor});
            const std::uint32_t products = product.op.outer[0] * product.op.outer[1];
            const std::uint32_t signals = products > 1 ? products : (product.width() + 7) / 8;
            const std::vector<std::uint8_t> whole = product.expected();
            std::size_t missing = whole.size();
            INFO("seed " << seed);
            while (system.sync.value(0) < signals) {
                sc_core::wait(system.sync.changed(0));
                const std::vector<std::uint8_t> now = product.output();
                std::size_t still_missing = 0;
                for (std::size_t i = 0; i < now.size(); ++i) {
                    CHECK((now[i] == whole[i] || now[i] == 0x5A));
                    still_missing += now[i] != whole[i];
                }
                CHECK(still_missing < missing);
                missing = still_missing;
            }
            CHECK(missing == 0);
            CHECK(system.settle(0));
            CHECK(system.sync.value(0) == signals);
        }
    });
}

TEST_CASE("a product that computes longer than its data move takes the array's cycles")
{
    System system;
    system.run([&] {
        // 8 x 8 folds of 2 passes x 128 rows each hide the 8 cycles of loading. Fill and drain add
        // 32 + 32 - 2.
        const Op large = plain(system, 128, 256, 256, LEVEE_TYPE_INT16, LEVEE_TYPE_INT8);
        CHECK(system.duration(large) == (64 * 256 + 62) * cycle);
        // k = 100 and n = 40 are 4 x 2 folds. Partly filled folds take as long as full ones.
        const Op ragged = plain(system, 32, 100, 40, LEVEE_TYPE_INT16, LEVEE_TYPE_INT8);
        CHECK(system.duration(ragged) == (8 * 64 + 62) * cycle);
        // INT16 x INT16 takes 4 passes.
        const Op wide = plain(system, 16, 64, 64, LEVEE_TYPE_INT16, LEVEE_TYPE_INT16);
        CHECK(system.duration(wide) == (4 * 64 + 62) * cycle);
    });
}

TEST_CASE("single_pass counts one pass and does not change the bits")
{
    System system(square32, true);
    system.run([&] {
        const Op large = plain(system, 128, 256, 256, LEVEE_TYPE_INT16, LEVEE_TYPE_INT8);
        CHECK(system.duration(large) == (64 * 128 + 62) * cycle);
        Product product(system, 3);
        product.fill_output();
        CHECK(system.execute(0, describe(LEVEE_RSA_GEMM, product.op)) == LEVEE_ERROR_NONE);
        CHECK(product.output() == product.expected());
    });
}

TEST_CASE("a product that waits for its data takes its bytes at the memory's rate")
{
    System system(square32, false, 32'000'000'000);
    system.run([&] {
        const Op gemv = plain(system, 1, 1024, 512, LEVEE_TYPE_INT16, LEVEE_TYPE_INT8);
        // The weights are read once, the vector once for each of 16 column folds, and 512 results
        // are written.
        const std::uint64_t bytes = 512 * 1024 + 16 * 2048 + 512 * 4;
        CHECK(system.duration(gemv) == bytes * cycle / 32);
    });
}

TEST_CASE("loops, ragged lengths and accumulator blocks add up fold by fold")
{
    const rsa::ProductShape shape{160, 64, 64, 2, 8};
    // The array keeps partial sums of 64 rows. So there are blocks of 64, 64 and 32 rows, with 4
    // folds each.
    const rsa::ArrayShape small{32, 32, 128, 64, true};
    const rsa::ProductCost cost = rsa::cost_of(small, shape);
    CHECK(cost.folds == 12);
    CHECK(cost.stationary_loads == 3);
    CHECK(cost.streamed_rows == 2 * 160);
    CHECK(cost.cycles == 4 * (128 + 128 + 64));
    // With one row, loading takes longer than computing. The 16 remaining columns load in half the
    // time.
    const rsa::ProductCost gemv = rsa::cost_of(small, {1, 64, 48, 2, 8});
    CHECK(gemv.cycles == 2 * 8 + 2 * 4);
    CHECK(gemv.load_cycles == gemv.cycles);
    CHECK(cost.load_cycles == 0);
    // INT4 loads in half of INT8's time, INT16 in twice INT8's time.
    CHECK(rsa::cost_of(small, {1, 32, 32, 2, 4}).cycles == 4);
    CHECK(rsa::cost_of(small, {1, 32, 32, 4, 16}).cycles == 16);
}

TEST_CASE("adding to earlier results reads these and a factor per row, in the same time")
{
    System system;
    system.run([&] {
        Op op = plain(system, 64, 64, 64, LEVEE_TYPE_INT16, LEVEE_TYPE_INT16);
        const Picoseconds alone = system.duration(op);
        const std::uint64_t before = figure(system.memory, "read_bytes");
        system.duration(op);
        const std::uint64_t read = figure(system.memory, "read_bytes") - before;
        op.flags |= LEVEE_RSA_ACCUMULATE;
        op.bias = system.take(4 * 64);
        op.a_scale_stride[2] = 4;
        // 4 folds of 4 x 64 rows, so the memory is not the bottleneck.
        CHECK(system.duration(op) == alone);
        CHECK(figure(system.memory, "read_bytes") - before - read == read + 4 * 64 * 64 + 4 * 64);
    });
}

TEST_CASE("column folds whose partial sums are kept together read A once")
{
    rsa::ArrayShape array{32, 32, 128, 512, true};
    const rsa::ProductShape decode{16, 64, 4096, 1, 8};
    CHECK(rsa::cost_of(array, decode).streamed_rows == 16 * 128);
    const std::uint64_t cycles = rsa::cost_of(array, decode).cycles;
    array.share_reads = true;
    CHECK(rsa::cost_of(array, decode).streamed_rows == 16 * 4); // A serves 32 folds at a time.
    CHECK(rsa::cost_of(array, decode).cycles == cycles);
    CHECK(rsa::cost_of(array, {512, 64, 96, 1, 8}).streamed_rows == 512 * 3);
    CHECK(rsa::cost_of(array, {768, 64, 96, 1, 8}).streamed_rows == 512 * 3 + 256 * 2);
    CHECK(rsa::cost_of(array, {1, 64, 48, 1, 8}).streamed_rows == 1);
}

TEST_CASE("loading one row per cycle without overlap takes SCALE-Sim's weight-stationary cycles")
{
    for (const std::uint32_t r : {16u, 24u, 32u})
        for (const std::uint32_t c : {16u, 32u})
            for (const std::uint64_t m : {1, 7, 32, 500}) {
                const rsa::ArrayShape array{r, c, c, 1024, false};
                const rsa::ProductShape shape{m, 3 * r, 5 * c, 1, 8};
                CHECK(rsa::operation_cycles(array, rsa::cost_of(array, shape)) ==
                      15 * (2 * r + c + m - 2) - 1);
            }
    // Double buffering hides the shorter one of loading and computing.
    const rsa::ProductShape shape{100, 96, 96, 1, 8};
    const rsa::ArrayShape serial{32, 32, 32, 1024, false}, overlapped{32, 32, 32, 1024, true};
    CHECK(rsa::operation_cycles(serial, rsa::cost_of(serial, shape)) == 9 * (32 + 100 + 62) - 1);
    CHECK(rsa::operation_cycles(overlapped, rsa::cost_of(overlapped, shape)) == 9 * 100 + 62);
}

namespace {

/// A valid operation of the array. The tests change one member at a time.
struct Refusals {
    System& system;
    Op good;

    explicit Refusals(System& machine)
        : system(machine), good(plain(machine, 2, 8, 8, LEVEE_TYPE_INT16, LEVEE_TYPE_INT8))
    {
    }
    template <typename Spoil>
    void refused(levee_command_error code, std::size_t member, Spoil spoil)
    {
        Op bad = good;
        spoil(bad);
        INFO("member " << member);
        CHECK(system.execute(0, describe(LEVEE_RSA_GEMM, bad)) == code);
        CHECK(system.reg(0, LEVEE_CMD_ERROR_FIELD) == operation_field(member));
        system.set_reg(0, LEVEE_CMD_CONTROL, LEVEE_CMD_CONTROL_RESET);
    }
};

} // namespace

TEST_CASE("shapes and flags that the array does not support are refused by field")
{
    System system;
    system.run([&] {
        Refusals refusals(system);
        refusals.refused(LEVEE_ERROR_FIELD, offsetof(Op, outer), [](Op& o) { o.outer[1] = 0; });
        refusals.refused(LEVEE_ERROR_FIELD, offsetof(Op, outer),
                         [](Op& o) { o.outer[0] = o.outer[1] = 0xFFFF; });
        refusals.refused(LEVEE_ERROR_FIELD, offsetof(Op, m1), [](Op& o) { o.m1 = 0; });
        refusals.refused(LEVEE_ERROR_FIELD, offsetof(Op, k), [](Op& o) { o.k = 0; });
        refusals.refused(LEVEE_ERROR_FIELD, offsetof(Op, k),
                         [](Op& o) { o.k = rsa::kMaxInnerOfBytes + 1; });
        refusals.refused(LEVEE_ERROR_FIELD, offsetof(Op, n), [](Op& o) { o.n = 0; });
        refusals.refused(LEVEE_ERROR_FIELD, offsetof(Op, n), [](Op& o) { o.n = 0xFFFF'FFFF; });
        refusals.refused(LEVEE_ERROR_FIELD, offsetof(Op, flags), [](Op& o) { o.flags = 4; });
        refusals.refused(LEVEE_ERROR_FIELD, offsetof(Op, flags), [](Op& o) {
            o.flags = LEVEE_RSA_ACCUMULATE; // A product cannot accumulate onto a stream.
            o.out = LEVEE_STREAM(0);
        });
        refusals.refused(LEVEE_ERROR_FIELD, offsetof(Op, ragged), [](Op& o) { o.ragged = 5; });
        refusals.refused(LEVEE_ERROR_FIELD, offsetof(Op, lengths),
                         [](Op& o) { o.ragged = LEVEE_RSA_RAGGED_N; });
        refusals.refused(LEVEE_ERROR_FIELD, offsetof(Op, lengths), [&](Op& o) {
            o.ragged = LEVEE_RSA_RAGGED_K;
            o.lengths = refusals.good.out; // The result area has zeros, so a length of 0.
        });
        refusals.refused(LEVEE_ERROR_FIELD, offsetof(Op, lengths), [&](Op& o) {
            o.ragged = LEVEE_RSA_RAGGED_K;
            o.lengths = refusals.good.out;
            o.length_add = 9; // The length exceeds k.
        });
        CHECK(system.execute(0, describe(LEVEE_RSA_GEMM, refusals.good)) == LEVEE_ERROR_NONE);
    });
}

TEST_CASE("addresses, types and streams that the array does not support are refused by field")
{
    System system;
    system.run([&] {
        Refusals refusals(system);
        refusals.refused(LEVEE_ERROR_TYPE, offsetof(Op, a_type),
                         [](Op& o) { o.a_type = LEVEE_TYPE_FP32; });
        refusals.refused(LEVEE_ERROR_TYPE, offsetof(Op, a_type), [](Op& o) { o.b_type = 99; });
        refusals.refused(LEVEE_ERROR_ADDRESS, offsetof(Op, a), [](Op& o) { o.a = 0; });
        refusals.refused(LEVEE_ERROR_ADDRESS, offsetof(Op, a), [](Op& o) { o.a += 1; });
        refusals.refused(LEVEE_ERROR_ADDRESS, offsetof(Op, a_stride) + 8,
                         [](Op& o) { o.a_stride[2] += 1; });
        refusals.refused(LEVEE_ERROR_ADDRESS, offsetof(Op, b),
                         [](Op& o) { o.b = memory_base + memory_bytes - 63; });
        refusals.refused(LEVEE_ERROR_ADDRESS, offsetof(Op, bias),
                         [](Op& o) { o.bias = 0x10'0000; });
        refusals.refused(LEVEE_ERROR_ADDRESS, offsetof(Op, out), [](Op& o) { o.out = sync_base; });
        refusals.refused(LEVEE_ERROR_STREAM, offsetof(Op, out),
                         [](Op& o) { o.out = LEVEE_STREAM(0); });
        CHECK(system.execute(0, describe(LEVEE_RSA_GEMM, refusals.good)) == LEVEE_ERROR_NONE);
    });
}

TEST_CASE("one stored operand serves A B and A B^T, without being moved twice")
{
    System system;
    system.run([&] {
        // The matrix is square, so its transpose has the same shape.
        constexpr std::uint32_t size = 48;
        std::vector<std::int16_t> a(size), b(size * size);
        for (std::uint32_t i = 0; i < size; ++i)
            a[i] = static_cast<std::int16_t>(random_word(1, 1, i));
        for (std::uint32_t i = 0; i < size * size; ++i)
            b[i] = static_cast<std::int16_t>(random_word(1, 2, i));
        Op op{};
        op.outer[0] = op.outer[1] = op.m1 = op.m0 = 1;
        op.k = op.n = size;
        op.a_type = op.b_type = LEVEE_TYPE_INT16;
        op.alpha = 1.0f;
        op.a = system.put(a);
        op.b = system.put(b);
        op.b_stride[2] = 2 * size;
        op.out = system.take(4 * size);
        for (const bool transposed : {false, true}) {
            op.flags = transposed ? LEVEE_RSA_B_TRANSPOSED : 0;
            const std::uint64_t before = figure(system.memory, "read_bytes");
            const std::uint64_t at =
                system.put(std::vector<levee_descriptor>{describe(LEVEE_RSA_GEMM, op)});
            system.submit_at(0, at, 1);
            CHECK(system.settle(0));
            // A is read for each of the two column folds, B once.
            CHECK(figure(system.memory, "read_bytes") - before == 2 * 2 * size + 2 * size * size);
            std::vector<float> expected(size);
            for (std::uint32_t column = 0; column < size; ++column) {
                std::int64_t sum = 0;
                for (std::uint32_t i = 0; i < size; ++i)
                    sum += std::int64_t{a[i]} *
                           (transposed ? b[column * size + i] : b[i * size + column]);
                expected[column] = static_cast<float>(sum);
            }
            CHECK(system.get<float>(op.out, size) == expected);
        }
    });
}

TEST_CASE("16-bit by 8-bit takes two passes and 16 by 16 takes four, counted and timed")
{
    System system;
    system.run([&] {
        constexpr std::uint16_t rows = 512;
        const std::tuple<std::uint8_t, std::uint8_t, std::uint64_t> kinds[] = {
            {LEVEE_TYPE_INT8, LEVEE_TYPE_INT8, 1},
            {LEVEE_TYPE_INT16, LEVEE_TYPE_INT8, 2},
            {LEVEE_TYPE_INT16, LEVEE_TYPE_INT16, 4}};
        for (const auto& [a_type, b_type, passes] : kinds) {
            const std::uint64_t mark = system.mark();
            const std::uint64_t before = figure(system.rsa, "passes");
            const Op op = plain(system, rows, 64, 64, a_type, b_type);
            // There are 2 x 2 folds. The peak of 1024 multiplications a cycle is divided by the
            // passes.
            CHECK(system.duration(op) == (4 * passes * rows + 62) * 1000);
            CHECK(figure(system.rsa, "passes") - before == 4 * passes);
            system.release(mark);
        }
    });
}
