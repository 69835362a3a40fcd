#include "ip/common/numerics.hpp"
#include "ip/common/tensor.hpp"
#include "ip/rsa/model.hpp"
#include "ip/rsa/module.hpp"
#include "test/unit/fabric/bench.hpp"

#include <algorithm>
#include <cstddef>

namespace {

using namespace levee;
using namespace levee::test;

constexpr std::uint64_t fast_memory = 256'000'000'000; // no bottleneck
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

    /// From the doorbell to the signal, without the fetch and the latency of the memory.
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

/// A random product with its operands in the system's memory, and its naive evaluation.
class Product {
public:
    Op op{};

    Product(System& system, std::uint32_t seed) : system_(system), seed_(seed)
    {
        op.outer[0] = static_cast<std::uint16_t>(1 + draw(3));
        op.outer[1] = static_cast<std::uint16_t>(1 + draw(3));
        op.m1 = static_cast<std::uint16_t>(1 + draw(3));
        op.m0 = static_cast<std::uint16_t>(1 + draw(3));
        op.k = 1 + draw(70);
        op.n = 1 + draw(70);
        op.a_type = draw(2) ? LEVEE_TYPE_INT8 : LEVEE_TYPE_INT16;
        const std::uint8_t b_types[] = {LEVEE_TYPE_INT4, LEVEE_TYPE_INT8, LEVEE_TYPE_INT16};
        op.b_type = b_types[draw(3)];
        op.flags = draw(2) ? LEVEE_RSA_B_TRANSPOSED : 0;
        op.alpha = draw(2) ? 1.0f : 0.125f;
        place_operands();
        op.ragged = static_cast<std::uint8_t>(draw(3));
        if (op.ragged != LEVEE_RSA_RAGGED_NONE)
            place_lengths();
    }

    /// Columns of the first product.
    std::uint32_t width() const { return op.ragged == LEVEE_RSA_RAGGED_N ? length(0, 0) : op.n; }

    void fill_output() { std::memset(system_.at(op.out) - 64, 0x5A, out_bytes_ + 128); }
    std::vector<std::uint8_t> output()
    {
        return system_.get<std::uint8_t>(op.out - 64, out_bytes_ + 128);
    }
    /// What output() should be.
    std::vector<std::uint8_t> expected()
    {
        std::vector<std::uint8_t> bytes(out_bytes_ + 128, 0x5A);
        for (std::uint32_t o0 = 0; o0 < op.outer[0]; ++o0)
            for (std::uint32_t o1 = 0; o1 < op.outer[1]; ++o1)
                for (std::uint32_t m1 = 0; m1 < op.m1; ++m1)
                    for (std::uint32_t m0 = 0; m0 < op.m0; ++m0) {
                        const std::vector<float> row = naive_row(o0, o1, m1, m0);
                        const std::uint64_t at = offset(op.out_stride, o0, o1, m1, m0);
                        std::memcpy(&bytes[64 + at], row.data(), row.size() * sizeof(float));
                    }
        return bytes;
    }

private:
    std::uint32_t draw(std::uint32_t below) { return random_word(seed_, 4, drawn_++) % below; }

    static std::uint64_t offset(const std::int32_t (&stride)[4], std::uint32_t o0, std::uint32_t o1,
                                std::uint32_t m1, std::uint32_t m0)
    {
        return static_cast<std::uint64_t>(
            std::int64_t{stride[0]} * o0 + std::int64_t{stride[1]} * o1 +
            std::int64_t{stride[2]} * m1 + std::int64_t{stride[3]} * m0);
    }

    /// Strides of nested loops (outermost first) around `bytes`, with random gaps; the whole size.
    template <std::size_t N>
    std::uint64_t nest(std::int32_t (&stride)[N], const std::uint32_t (&count)[N],
                       std::uint64_t bytes, std::uint64_t unit)
    {
        for (std::size_t level = N; level-- > 0;) {
            bytes = (bytes + unit - 1) / unit * unit + (draw(2) ? 0 : unit * draw(4));
            stride[level] = static_cast<std::int32_t>(bytes);
            bytes *= count[level];
        }
        return bytes;
    }
    std::uint64_t random_bytes(std::uint64_t bytes)
    {
        const std::uint64_t at = system_.take(bytes);
        for (std::uint64_t i = 0; i < bytes; ++i)
            *system_.at(at + i) = static_cast<std::uint8_t>(random_word(seed_, 5, at + i));
        return at;
    }
    std::uint64_t random_floats(std::uint64_t bytes)
    {
        std::vector<float> values((bytes + 3) / 4);
        for (float& value : values)
            value = 0.01f * (unit_interval(random_word(seed_, 6, drawn_++)) - 0.4f);
        return system_.put(values);
    }
    void place_operands()
    {
        const std::uint32_t rows[] = {op.outer[0], op.outer[1], op.m1, op.m0};
        op.a = random_bytes(
            nest(op.a_stride, rows, bytes_of(op.k, op.a_type), alignment_of(op.a_type)));
        const bool transposed = op.flags != 0;
        const std::uint32_t stored[] = {op.outer[0], op.outer[1], transposed ? op.n : op.k};
        op.b = random_bytes(nest(op.b_stride, stored, bytes_of(transposed ? op.k : op.n, op.b_type),
                                 alignment_of(op.b_type)));
        if (draw(3) != 0)
            op.a_scale = random_floats(nest(op.a_scale_stride, rows, 4, 4));
        const std::uint32_t columns[] = {op.outer[0], op.outer[1], op.n};
        if (draw(3) != 0)
            op.b_scale = random_floats(nest(op.b_scale_stride, columns, 4, 4));
        if (op.b_scale != 0 && draw(4) == 0)
            op.b_scale_stride[2] = 0; // one scale for all columns
        if (draw(2))
            op.bias = random_floats(op.n * 4);
        out_bytes_ = nest(op.out_stride, rows, op.n * 4, 4);
        op.out = system_.take(out_bytes_ + 128) + 64;
    }
    void place_lengths()
    {
        const std::uint32_t longest = op.ragged == LEVEE_RSA_RAGGED_K ? op.k : op.n;
        op.length_add = draw(2) ? 0 : 1;
        std::vector<std::uint32_t> words(40);
        for (std::uint32_t& word : words)
            word = 1 - op.length_add + draw(longest);
        op.lengths = system_.put(words);
        op.lengths_stride[0] = 40;
        op.lengths_stride[1] = 12;
    }

    std::uint32_t length(std::uint32_t o0, std::uint32_t o1) const
    {
        std::uint32_t word = 0;
        std::memcpy(&word, system_.at(op.lengths + o0 * 40 + o1 * 12), 4);
        return word + op.length_add;
    }
    std::span<const std::byte> bytes(std::uint64_t address, std::uint64_t count) const
    {
        return {reinterpret_cast<const std::byte*>(system_.at(address)), count};
    }
    /// One row by the reference, from operands addressed element by element.
    std::vector<float> naive_row(std::uint32_t o0, std::uint32_t o1, std::uint32_t m1,
                                 std::uint32_t m0) const
    {
        rsa::Gemm gemm;
        gemm.m = 1;
        gemm.k = op.ragged == LEVEE_RSA_RAGGED_K ? length(o0, o1) : op.k;
        gemm.n = op.ragged == LEVEE_RSA_RAGGED_N ? length(o0, o1) : op.n;
        const std::uint64_t a_bytes = bytes_of(gemm.k, op.a_type);
        gemm.a = {bytes(op.a + offset(op.a_stride, o0, o1, m1, m0), a_bytes), a_bytes,
                  static_cast<levee_type>(op.a_type)};
        const std::uint32_t stored = op.flags != 0 ? gemm.n : gemm.k;
        const auto pitch = static_cast<std::uint64_t>(op.b_stride[2]);
        const std::uint64_t row_bytes = bytes_of(op.flags != 0 ? gemm.k : gemm.n, op.b_type);
        gemm.b = {bytes(op.b + static_cast<std::uint64_t>(op.b_stride[0]) * o0 +
                            static_cast<std::uint64_t>(op.b_stride[1]) * o1,
                        (stored - 1) * pitch + row_bytes),
                  pitch, static_cast<levee_type>(op.b_type)};
        gemm.b_transposed = op.flags != 0;
        const auto floats = [&](std::uint64_t address, std::uint64_t count) {
            return std::span<const float>(reinterpret_cast<const float*>(system_.at(address)),
                                          count);
        };
        if (op.a_scale != 0)
            gemm.a_scale = {floats(op.a_scale + offset(op.a_scale_stride, o0, o1, m1, m0), 1), 1};
        const auto step = static_cast<std::size_t>(op.b_scale_stride[2] / 4);
        if (op.b_scale != 0)
            gemm.b_scale = {floats(op.b_scale +
                                       static_cast<std::uint64_t>(op.b_scale_stride[0]) * o0 +
                                       static_cast<std::uint64_t>(op.b_scale_stride[1]) * o1,
                                   (gemm.n - 1) * step + 1),
                            step};
        if (op.bias != 0)
            gemm.bias = floats(op.bias, gemm.n);
        gemm.alpha = op.alpha;
        std::vector<float> out(gemm.n);
        gemm.out = out;
        gemm.out_pitch = gemm.n;
        rsa::gemm(gemm);
        return out;
    }

    System& system_;
    std::uint32_t seed_;
    std::uint64_t drawn_ = 0;
    std::uint64_t out_bytes_ = 0;
};

/// A plain product of zeros: timing does not look at the data.
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

} // namespace

TEST_CASE("random products equal the reference evaluated row by row, and write nothing else")
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

TEST_CASE("the array tells its size")
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
        // 8 x 8 folds of 2 passes x 128 rows (8 cycles of loading hide behind them), then fill and
        // drain of 32 + 32 - 2.
        const Op large = plain(system, 128, 256, 256, LEVEE_TYPE_INT16, LEVEE_TYPE_INT8);
        CHECK(system.duration(large) == (64 * 256 + 62) * cycle);
        // k = 100 and n = 40 are 4 x 2 folds, the ragged ones no shorter.
        const Op ragged = plain(system, 32, 100, 40, LEVEE_TYPE_INT16, LEVEE_TYPE_INT8);
        CHECK(system.duration(ragged) == (8 * 64 + 62) * cycle);
        // INT16 x INT16 takes 4 passes.
        const Op wide = plain(system, 16, 64, 64, LEVEE_TYPE_INT16, LEVEE_TYPE_INT16);
        CHECK(system.duration(wide) == (4 * 64 + 62) * cycle);
    });
}

TEST_CASE("single_pass counts one pass and leaves the bits as they are")
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
        // Weights once; the vector once for each of 16 column folds; 512 results.
        const std::uint64_t bytes = 512 * 1024 + 16 * 2048 + 512 * 4;
        CHECK(system.duration(gemv) == bytes * cycle / 32);
    });
}

TEST_CASE("loops, ragged lengths and accumulator blocks add up fold by fold")
{
    const rsa::ProductShape shape{160, 64, 64, 2, 8};
    // Partial sums of 64 rows are kept: blocks of 64, 64 and 32 rows, 4 folds each.
    const rsa::ArrayShape small{32, 32, 128, 64, true};
    const rsa::ProductCost cost = rsa::cost_of(small, shape);
    CHECK(cost.folds == 12);
    CHECK(cost.stationary_loads == 3);
    CHECK(cost.streamed_reads == 2);
    CHECK(cost.cycles == 4 * (128 + 128 + 64));
    // One row: loading is the longer. 16 rest columns load in half the time.
    const rsa::ProductCost gemv = rsa::cost_of(small, {1, 64, 48, 2, 8});
    CHECK(gemv.cycles == 2 * 8 + 2 * 4);
    // INT4 loads in half of INT8's time, INT16 in twice.
    CHECK(rsa::cost_of(small, {1, 32, 32, 2, 4}).cycles == 4);
    CHECK(rsa::cost_of(small, {1, 32, 32, 4, 16}).cycles == 16);
}

TEST_CASE("one row loaded a cycle, nothing hidden: SCALE-Sim's weight-stationary cycles")
{
    for (const std::uint32_t r : {16u, 24u, 32u})
        for (const std::uint32_t c : {16u, 32u})
            for (const std::uint64_t m : {1, 7, 32, 500}) {
                const rsa::ArrayShape array{r, c, c, 1024, false};
                const rsa::ProductShape shape{m, 3 * r, 5 * c, 1, 8};
                CHECK(rsa::operation_cycles(array, rsa::cost_of(array, shape)) ==
                      15 * (2 * r + c + m - 2) - 1);
            }
    // Double buffering hides the shorter of load and compute behind the other.
    const rsa::ProductShape shape{100, 96, 96, 1, 8};
    const rsa::ArrayShape serial{32, 32, 32, 1024, false}, overlapped{32, 32, 32, 1024, true};
    CHECK(rsa::operation_cycles(serial, rsa::cost_of(serial, shape)) == 9 * (32 + 100 + 62) - 1);
    CHECK(rsa::operation_cycles(overlapped, rsa::cost_of(overlapped, shape)) == 9 * 100 + 62);
}

TEST_CASE("what the array does not take is refused with the field that says so")
{
    System system;
    system.run([&] {
        const Op good = plain(system, 2, 8, 8, LEVEE_TYPE_INT16, LEVEE_TYPE_INT8);
        const auto refused = [&](levee_command_error code, std::size_t member, auto spoil) {
            Op bad = good;
            spoil(bad);
            INFO("member " << member);
            CHECK(system.execute(0, describe(LEVEE_RSA_GEMM, bad)) == code);
            CHECK(system.reg(0, LEVEE_CMD_ERROR_FIELD) ==
                  offsetof(levee_descriptor, operation) + member);
            system.set_reg(0, LEVEE_CMD_CONTROL, LEVEE_CMD_CONTROL_RESET);
        };
        refused(LEVEE_ERROR_FIELD, offsetof(Op, outer), [](Op& o) { o.outer[1] = 0; });
        refused(LEVEE_ERROR_FIELD, offsetof(Op, outer),
                [](Op& o) { o.outer[0] = o.outer[1] = 0xFFFF; });
        refused(LEVEE_ERROR_FIELD, offsetof(Op, m1), [](Op& o) { o.m1 = 0; });
        refused(LEVEE_ERROR_FIELD, offsetof(Op, k), [](Op& o) { o.k = 0; });
        refused(LEVEE_ERROR_FIELD, offsetof(Op, k), [](Op& o) { o.k = rsa::kMaxInner + 1; });
        refused(LEVEE_ERROR_FIELD, offsetof(Op, n), [](Op& o) { o.n = 0; });
        refused(LEVEE_ERROR_FIELD, offsetof(Op, n), [](Op& o) { o.n = 0xFFFF'FFFF; });
        refused(LEVEE_ERROR_FIELD, offsetof(Op, flags), [](Op& o) { o.flags = 2; });
        refused(LEVEE_ERROR_FIELD, offsetof(Op, ragged), [](Op& o) { o.ragged = 3; });
        refused(LEVEE_ERROR_FIELD, offsetof(Op, lengths),
                [](Op& o) { o.ragged = LEVEE_RSA_RAGGED_N; });
        refused(LEVEE_ERROR_FIELD, offsetof(Op, lengths), [&](Op& o) {
            o.ragged = LEVEE_RSA_RAGGED_K;
            o.lengths = good.out; // zero: no length
        });
        refused(LEVEE_ERROR_FIELD, offsetof(Op, lengths), [&](Op& o) {
            o.ragged = LEVEE_RSA_RAGGED_K;
            o.lengths = good.out;
            o.length_add = 9; // more than k
        });
        refused(LEVEE_ERROR_TYPE, offsetof(Op, a_type), [](Op& o) { o.a_type = LEVEE_TYPE_FP32; });
        refused(LEVEE_ERROR_TYPE, offsetof(Op, a_type), [](Op& o) { o.b_type = 99; });
        refused(LEVEE_ERROR_ADDRESS, offsetof(Op, a), [](Op& o) { o.a = 0; });
        refused(LEVEE_ERROR_ADDRESS, offsetof(Op, a), [](Op& o) { o.a += 1; });
        refused(LEVEE_ERROR_ADDRESS, offsetof(Op, a_stride) + 8, [](Op& o) { o.a_stride[2] += 1; });
        refused(LEVEE_ERROR_ADDRESS, offsetof(Op, b),
                [](Op& o) { o.b = memory_base + memory_bytes - 63; });
        refused(LEVEE_ERROR_ADDRESS, offsetof(Op, bias), [](Op& o) { o.bias = 0x10'0000; });
        refused(LEVEE_ERROR_ADDRESS, offsetof(Op, out), [](Op& o) { o.out = sync_base; });
        refused(LEVEE_ERROR_STREAM, offsetof(Op, out), [](Op& o) { o.out = LEVEE_STREAM(0); });
        CHECK(system.execute(0, describe(LEVEE_RSA_GEMM, good)) == LEVEE_ERROR_NONE);
    });
}
