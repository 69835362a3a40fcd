// SPDX-License-Identifier: Apache-2.0
// Drives crossbars through their queue and checks bits, times by formula, posted writes, refusals
// and timing-only runs.
#include "ip/rsa/model.hpp"
#include "test/unit/reram/refused.hpp"

using namespace levee;
using namespace levee::test;

namespace {

constexpr unsigned exact = 0, bare = 1, timing_only = 2, noisy = 3, first = 4, second = 5;
constexpr std::uint64_t t_w = 1'000'000;

/// Returns t_c for inputs of `bits`: 10 ns a bit, because 2 ADCs convert 12 (or 16) lines in 6 (or
/// 8) conversions.
std::uint64_t t_c(std::uint32_t bits)
{
    return bits * std::uint64_t{10'000};
}

/// A matrix with a scale and a bias for each output, and vectors with one scale each.
struct Layer {
    std::uint32_t m, k, n;
    std::vector<std::int8_t> weights; ///< indexed by [n][k]
    std::vector<std::int16_t> a;
    std::vector<float> a_scale, b_scale, bias;

    Layer(ReramBench& bench, std::uint32_t m_, std::uint32_t k_, std::uint32_t n_)
        : m(m_), k(k_), n(n_), weights(bench.draw<std::int8_t>(std::size_t{n} * k, 127)),
          a(bench.draw<std::int16_t>(std::size_t{m} * k, 32767))
    {
        const auto reals = [&](std::size_t count) {
            std::vector<float> values;
            for (const int value : bench.draw<int>(count, 1000))
                values.push_back(static_cast<float>(value) / 7.0f);
            return values;
        };
        a_scale = reals(m);
        b_scale = reals(n);
        bias = reals(n);
    }
    [[nodiscard]] std::vector<float> product() const
    {
        std::vector<float> out(std::size_t{m} * n);
        rsa::Gemm gemm;
        gemm.m = m;
        gemm.n = n;
        gemm.k = k;
        gemm.a = {std::as_bytes(std::span(a)), std::size_t{k} * 2, LEVEE_TYPE_INT16};
        gemm.a_scale = {a_scale, 1};
        gemm.b = {std::as_bytes(std::span(weights)), k, LEVEE_TYPE_INT8};
        gemm.b_transposed = true;
        gemm.b_scale = {b_scale, 1};
        gemm.bias = bias;
        gemm.alpha = 0.125f;
        gemm.out = out;
        gemm.out_pitch = n;
        rsa::gemm(gemm);
        return out;
    }
};

void scale(ReramBench& bench, levee_reram_operation& op, const Layer& layer)
{
    op.a = bench.put(layer.a);
    op.a_scale = bench.put(layer.a_scale);
    op.b_scale = bench.put(layer.b_scale);
    op.bias = bench.put(layer.bias);
    op.a_scale_stride[2] = op.b_scale_stride[2] = 4;
    op.out_type = LEVEE_TYPE_FP32;
    op.out_stride[2] = static_cast<std::int32_t>(layer.n) * 4;
    op.out = bench.take(std::size_t{layer.m} * layer.n * 4);
    op.alpha = 0.125f;
}

/// Writes the matrix column by column, where a column holds an output's weights, and multiplies the
/// vectors by it. The results must equal the systolic array's bit for bit.
void check_scaled_product(ReramBench& bench)
{
    for (int i = 0; i < 8; ++i) {
        const std::size_t mark = bench.mark();
        const Layer layer(bench, 1 + bench.random() % 5, 1 + bench.random() % 40,
                          1 + bench.random() % 30);
        const auto bits = static_cast<std::uint8_t>(i % 2 == 0 ? 8 : 16);
        const levee_reram_stage stage =
            stage_of(i % 3, layer.k, layer.n, bits, LEVEE_RERAM_COLUMNS_SENSED);
        levee_reram_operation write = write_of(bench, stage, layer.n, layer.k, LEVEE_TYPE_INT8);
        write.a = bench.put(layer.weights);
        CHECK(bench.run_one(exact, LEVEE_RERAM_WRITE, write) == LEVEE_ERROR_NONE);
        levee_reram_operation op = product_of(bench, {stage}, layer.m, layer.k, LEVEE_TYPE_INT16);
        scale(bench, op, layer);
        CHECK(bench.run_one(exact, LEVEE_RERAM_PRODUCT, op) == LEVEE_ERROR_NONE);
        CHECK(bench.get<float>(op.out, std::size_t{layer.m} * layer.n) == layer.product());
        bench.release(mark);
    }
}

/// Writes X once. Then Q W_K^T X^T is one operation of two stages, which gives the integers of Q
/// K^T without writing any column of K^T.
void check_decomposed(ReramBench& bench)
{
    constexpr std::uint32_t tokens = 9, dim = 20, head = 6;
    const auto x = bench.draw<std::int8_t>(tokens * dim, 127);
    const auto w = bench.draw<std::int8_t>(head * dim, 127);
    const auto q = bench.draw<std::int8_t>(tokens * head, 127);
    const levee_reram_stage w_k = stage_of(0, dim, head, 8, LEVEE_RERAM_ROWS_SENSED);
    const levee_reram_stage its_x = stage_of(40, dim, tokens, 8, LEVEE_RERAM_COLUMNS_SENSED);
    const auto put = [&](const levee_reram_stage& stage, const auto& columns, std::uint32_t count) {
        levee_reram_operation op = write_of(bench, stage, count, dim, LEVEE_TYPE_INT8);
        op.a = bench.put(columns);
        CHECK(bench.run_one(exact, LEVEE_RERAM_WRITE, op) == LEVEE_ERROR_NONE);
    };
    put(w_k, w, head);
    const std::uint64_t before = bench.count("column_writes");
    put(its_x, x, tokens);
    levee_reram_operation op = product_of(bench, {w_k, its_x}, tokens, head, LEVEE_TYPE_INT8);
    op.flags = LEVEE_RERAM_PIPELINED;
    op.a = bench.put(q);
    op.out = bench.take(tokens * tokens * 8);
    CHECK(bench.run_one(exact, LEVEE_RERAM_PRODUCT, op) == LEVEE_ERROR_NONE);
    std::vector<std::int64_t> expected;
    for (std::uint32_t i = 0; i < tokens; ++i)
        for (std::uint32_t j = 0; j < tokens; ++j) {
            std::int64_t sum = 0;
            for (std::uint32_t h = 0; h < head; ++h)
                for (std::uint32_t d = 0; d < dim; ++d)
                    sum += std::int64_t{q[i * head + h]} * w[h * dim + d] * x[j * dim + d];
            expected.push_back(sum);
        }
    CHECK(bench.get<std::int64_t>(op.out, tokens * tokens) == expected);
    // Only columns of X are written, none of K^T.
    CHECK(bench.count("column_writes") - before == tokens);
}

/// A chain with INT16 intermediate results must give the same bits as array, quantisation and
/// array.
void check_quantised_chain(ReramBench& bench)
{
    const Layer one(bench, 3, 14, 18), two(bench, 3, 18, 11);
    const levee_reram_stage a = stage_of(0, one.k, one.n, 8, LEVEE_RERAM_COLUMNS_SENSED);
    const levee_reram_stage b = stage_of(30, two.k, two.n, 8, LEVEE_RERAM_COLUMNS_SENSED);
    for (const auto& [stage, layer] : {std::pair{a, &one}, std::pair{b, &two}}) {
        levee_reram_operation write = write_of(bench, stage, layer->n, layer->k, LEVEE_TYPE_INT8);
        write.a = bench.put(layer->weights);
        CHECK(bench.run_one(exact, LEVEE_RERAM_WRITE, write) == LEVEE_ERROR_NONE);
    }
    Layer plain = one, after = two;
    std::fill(plain.b_scale.begin(), plain.b_scale.end(), 8.0f); // The scales cancel alpha.
    std::fill(plain.bias.begin(), plain.bias.end(), 0.0f);
    const std::vector<float> between = plain.product();
    for (std::uint32_t i = 0; i < one.m; ++i)
        after.a_scale[i] = quantise_int16(std::span(between).subspan(i * one.n, one.n),
                                          std::span(after.a).subspan(i * one.n, one.n));
    levee_reram_stage quantised = a;
    quantised.result_bits = 16;
    levee_reram_operation op = product_of(bench, {quantised, b}, one.m, one.k, LEVEE_TYPE_INT16);
    scale(bench, op, two);
    op.a = bench.put(one.a);
    op.a_scale = bench.put(one.a_scale);
    CHECK(bench.run_one(exact, LEVEE_RERAM_PRODUCT, op) == LEVEE_ERROR_NONE);
    CHECK(bench.get<float>(op.out, std::size_t{two.m} * two.n) == after.product());
}

/// Returns a chain of n vectors through s stages on separate crossbars, all with the same t_c.
levee_reram_operation chain(ReramBench& bench, std::uint32_t n, std::uint32_t s)
{
    std::vector<levee_reram_stage> stages;
    for (std::uint32_t i = 0; i < s; ++i) {
        stages.push_back(stage_of(2 * i, 12, 12, 8, LEVEE_RERAM_COLUMNS_SENSED));
        stages.back().result_bits = i + 1 == s ? 0 : 8;
    }
    levee_reram_operation op = product_of(bench, stages, n, 12, LEVEE_TYPE_INT8);
    op.out_type = LEVEE_TYPE_FP32;
    op.out_stride[2] = 12 * 4;
    op.a = bench.put(bench.draw<std::int8_t>(n * 12, 127));
    op.out = bench.take(n * 12 * 4);
    return op;
}

/// The schedule compute, write, compute takes n t_c + n t_w + n t_c. Layer by layer, s layers take
/// s n t_c. Vector by vector, they take (n + s - 1) t_c: two stages take n + 1 beats, not 2 n.
void check_latencies(ReramBench& bench, unsigned block)
{
    for (int i = 0; i < 12; ++i) {
        const std::size_t mark = bench.mark();
        const std::uint32_t n = 1 + bench.random() % 50, s = 1 + bench.random() % 8;
        INFO(n << " vectors, " << s << " stages");
        levee_reram_operation op = chain(bench, n, s);
        CHECK(bench.timed(block, LEVEE_RERAM_PRODUCT, op) == s * n * t_c(7));
        op.flags = LEVEE_RERAM_PIPELINED;
        CHECK(bench.timed(block, LEVEE_RERAM_PRODUCT, op) == (n + s - 1) * t_c(7));
        const levee_reram_operation three = chain(bench, n, 3), one = chain(bench, n, 1);
        CHECK(bench.timed(block, LEVEE_RERAM_PRODUCT, three) == 3 * n * t_c(7));
        levee_reram_operation two = chain(bench, n, 2);
        two.flags = LEVEE_RERAM_PIPELINED;
        CHECK(bench.timed(block, LEVEE_RERAM_PRODUCT, two) == (n + 1) * t_c(7));
        levee_reram_operation write = write_of(
            bench, stage_of(60, 12, 50, 8, LEVEE_RERAM_COLUMNS_SENSED), n, 12, LEVEE_TYPE_INT8);
        write.a = one.a;
        const std::uint64_t before = bench.busy(block);
        CHECK(bench.run_one(block, LEVEE_RERAM_PRODUCT, one) == LEVEE_ERROR_NONE);
        CHECK(bench.run_one(block, LEVEE_RERAM_WRITE, write) == LEVEE_ERROR_NONE);
        CHECK(bench.run_one(block, LEVEE_RERAM_PRODUCT, one) == LEVEE_ERROR_NONE);
        CHECK(bench.busy(block) - before == n * t_c(7) + n * t_w + n * t_c(7));
        bench.release(mark);
    }
}

/// If X is written early enough, the product that reads it does not wait. Otherwise the product
/// waits for the rest of the write.
void check_posted(ReramBench& bench)
{
    constexpr std::uint32_t n = 8;
    const levee_reram_stage x = stage_of(100, 12, 12, 8, LEVEE_RERAM_COLUMNS_SENSED);
    levee_reram_operation write = write_of(bench, x, n, 12, LEVEE_TYPE_INT8);
    write.flags = LEVEE_RERAM_POSTED;
    write.a = bench.put(bench.draw<std::int8_t>(n * 12, 127));
    levee_reram_operation read = product_of(bench, {x}, 1, 12, LEVEE_TYPE_INT8);
    read.a = write.a;
    read.out = bench.take(12 * 8);
    const levee_reram_operation other = chain(bench, 40, 1);
    const Picoseconds submitted = now_ps();
    bench.submit(bare, {levee::test::describe(LEVEE_RERAM_WRITE, write),
                        levee::test::describe(LEVEE_RERAM_PRODUCT, other),
                        levee::test::describe(LEVEE_RERAM_PRODUCT, read)});
    CHECK(bench.settle(bare));
    // 40 products on other crossbars take 2.8 of the 8 us. The product waits for the rest.
    CHECK(bench.real("waited_for_programming_s", bare) * 1e6 ==
          Approx(8 - 40 * 0.07).epsilon(1e-6));
    CHECK(now_ps() - submitted >= n * t_w + t_c(7));
    // All columns are programmed now, so the same product takes only t_c.
    CHECK(bench.timed(bare, LEVEE_RERAM_PRODUCT, read) == t_c(7));
}

/// One copy of a matrix serves products by columns and by rows, one after the other but never at
/// the same time.
void check_dual_access(ReramBench& bench)
{
    const levee_reram_stage columns = stage_of(0, 12, 12, 8, LEVEE_RERAM_COLUMNS_SENSED);
    const levee_reram_stage rows = stage_of(0, 12, 12, 8, LEVEE_RERAM_ROWS_SENSED);
    levee_reram_stage between = columns;
    between.result_bits = 8;
    levee_reram_operation op = product_of(bench, {between, rows}, 5, 12, LEVEE_TYPE_INT8);
    op.out_type = LEVEE_TYPE_FP32;
    op.out_stride[2] = 12 * 4;
    op.a = bench.put(bench.draw<std::int8_t>(5 * 12, 127));
    op.out = bench.take(5 * 12 * 4);
    CHECK(bench.timed(bare, LEVEE_RERAM_PRODUCT, op) == 2 * 5 * t_c(7));
    op.flags = LEVEE_RERAM_PIPELINED;
    CHECK(bench.run_one(bare, LEVEE_RERAM_PRODUCT, op) == LEVEE_ERROR_FIELD);
    CHECK(bench.reg(bare, LEVEE_CMD_ERROR_FIELD) ==
          operation_field(offsetof(levee_reram_operation, stages)));
    bench.set_reg(bare, LEVEE_CMD_CONTROL, LEVEE_CMD_CONTROL_RESET);
}

/// Two components that a stream port joins take n + 1 beats.
void check_ports(ReramBench& bench)
{
    constexpr std::uint32_t n = 11;
    levee_reram_operation producer = chain(bench, n, 1), consumer = chain(bench, n, 1);
    producer.out = LEVEE_STREAM(0);
    consumer.a = LEVEE_STREAM(0);
    const Picoseconds before = now_ps();
    bench.submit(second, {levee::test::describe(LEVEE_RERAM_PRODUCT, consumer)});
    bench.submit(first, {levee::test::describe(LEVEE_RERAM_PRODUCT, producer)});
    CHECK(bench.settle(first));
    CHECK(bench.settle(second));
    CHECK(bench.reg(second, LEVEE_CMD_ERROR_CODE) == LEVEE_ERROR_NONE);
    CHECK(bench.busy(second) >= (n + 1) * t_c(7));
    CHECK(bench.busy(second) <= (n + 1) * t_c(7) + 100'000);
    CHECK(now_ps() > before);
}

/// Rewriting a bit line wears it, but no other bit line.
void check_endurance(ReramBench& bench)
{
    const std::uint64_t before = bench.count("column_writes", noisy);
    levee_reram_operation write =
        write_of(bench, stage_of(5, 12, 12, 8, LEVEE_RERAM_COLUMNS_SENSED), 1, 12, LEVEE_TYPE_INT8);
    write.a = bench.put(bench.draw<std::int8_t>(12, 127));
    for (std::uint64_t i = 1; i <= 5; ++i) {
        CHECK(bench.run_one(noisy, LEVEE_RERAM_WRITE, write) == LEVEE_ERROR_NONE);
        CHECK(bench.count("worst_writes", noisy) == i);
        CHECK(bench.count("worn_columns", noisy) == (i > 3 ? 1 : 0)); // The cells endure 3 writes.
    }
    CHECK(bench.count("column_writes", noisy) - before == 5);
    CHECK(bench.reg(noisy, LEVEE_RERAM_WORST_WRITES) == 5);
}

/// Programming variation changes the product a little, and each programming draws new errors.
void check_variation(ReramBench& bench)
{
    const levee_reram_stage stage = stage_of(7, 12, 1, 8, LEVEE_RERAM_COLUMNS_SENSED);
    const std::vector<std::int8_t> column(12, 100);
    levee_reram_operation write = write_of(bench, stage, 1, 12, LEVEE_TYPE_INT8);
    write.a = bench.put(column);
    levee_reram_operation op = product_of(bench, {stage}, 1, 12, LEVEE_TYPE_INT8);
    op.a = bench.put(column);
    op.out = bench.take(8);
    const auto programmed = [&] {
        CHECK(bench.run_one(noisy, LEVEE_RERAM_WRITE, write) == LEVEE_ERROR_NONE);
        CHECK(bench.run_one(noisy, LEVEE_RERAM_PRODUCT, op) == LEVEE_ERROR_NONE);
        return bench.get<std::int64_t>(op.out, 1)[0];
    };
    const std::int64_t one = programmed(), other = programmed();
    CHECK(one != other);
    CHECK(std::abs(one - 120000) < 12000);
    CHECK(std::abs(other - 120000) < 12000);
}

/// Checks writes by column number: only columns that the table names change.
void check_by_column(ReramBench& bench)
{
    constexpr std::uint32_t slots = 9, dim = 10;
    const auto table = bench.draw<std::int16_t>(slots * dim, 32767);
    const levee_reram_stage keys = stage_of(20, dim, slots, 16, LEVEE_RERAM_COLUMNS_SENSED);
    levee_reram_operation write = write_of(bench, keys, 3, dim, LEVEE_TYPE_INT16);
    write.flags = LEVEE_RERAM_BY_COLUMN;
    write.a = bench.put(table);
    for (const std::uint32_t first_column : {6u, 0u, 3u}) {
        write.lengths = bench.put(std::vector<std::uint32_t>{first_column});
        CHECK(bench.run_one(exact, LEVEE_RERAM_WRITE, write) == LEVEE_ERROR_NONE);
    }
    levee_reram_operation op = product_of(bench, {keys}, 1, dim, LEVEE_TYPE_INT8);
    op.a = bench.put(std::vector<std::int8_t>(dim, 1));
    op.out = bench.take(slots * 8);
    CHECK(bench.run_one(exact, LEVEE_RERAM_PRODUCT, op) == LEVEE_ERROR_NONE);
    std::vector<std::int64_t> sums(slots, 0);
    for (std::uint32_t i = 0; i < slots * dim; ++i)
        sums[i / dim] += table[i];
    CHECK(bench.get<std::int64_t>(op.out, slots) == sums);
}

/// Descriptors and tables with a wrong byte are executed or refused, and the queue keeps working.
void check_garbled(ReramBench& bench)
{
    const levee_reram_stage stage = stage_of(3, 12, 12, 8, LEVEE_RERAM_COLUMNS_SENSED);
    unsigned refused = 0;
    for (int i = 0; i < 600; ++i) {
        const std::size_t mark = bench.mark();
        levee_reram_stage garbled = stage;
        const bool writes = i % 3 == 0;
        levee_reram_operation op = writes
                                       ? write_of(bench, stage, 2, 12, LEVEE_TYPE_INT8)
                                       : product_of(bench, {stage, stage}, 2, 12, LEVEE_TYPE_INT8);
        op.a = bench.put(std::vector<std::int8_t>(24, 1));
        op.out = writes ? 0 : bench.take(2 * 12 * 8);
        auto* const bytes = i % 2 == 0 ? reinterpret_cast<std::uint8_t*>(&op)
                                       : reinterpret_cast<std::uint8_t*>(&garbled);
        bytes[bench.random() % (i % 2 == 0 ? sizeof op : sizeof garbled)] ^=
            static_cast<std::uint8_t>(1u << bench.random() % 8);
        if (i % 2 != 0)
            op.stages = bench.put(writes ? std::vector{garbled} : std::vector{stage, garbled});
        const std::uint8_t opcode = writes ? LEVEE_RERAM_WRITE : LEVEE_RERAM_PRODUCT;
        bench.submit(exact, {levee::test::describe(opcode, op)});
        constexpr std::uint32_t ended = LEVEE_CMD_STATUS_EMPTY | LEVEE_CMD_STATUS_STOPPED;
        for (int polls = 0; polls < 5000 && (bench.reg(exact, LEVEE_CMD_STATUS) & ended) == 0;
             ++polls)
            sc_core::wait(100, sc_core::SC_US); // This time is enough for up to 2^18 vectors.
        CHECK((bench.reg(exact, LEVEE_CMD_STATUS) & ended) != 0);
        refused += bench.reg(exact, LEVEE_CMD_ERROR_CODE) != LEVEE_ERROR_NONE;
        bench.set_reg(exact, LEVEE_CMD_CONTROL, LEVEE_CMD_CONTROL_RESET);
        bench.release(mark);
    }
    CHECK(refused > 100);
    CHECK(refused < 600);
}

} // namespace

TEST_CASE("crossbars: bits, times, posted writes, both accesses, ports, wear, "
          "refusals, timing_only")
{
    reram::Config varied = small_reram();
    varied.array.crossbar.disturbances.programming = 0.05;
    varied.array.endurance = 3;
    const auto functional = DataMode::Functional;
    ReramBench bench({{small_reram(), functional},
                      {bare_reram(), functional},
                      {bare_reram(), DataMode::TimingOnly},
                      {varied, functional},
                      {small_reram(), functional},
                      {small_reram(), functional}},
                     {{"between", 1'000'000'000'000, 0}});
    bench.run([&] {
        check_scaled_product(bench);
        check_decomposed(bench);
        check_quantised_chain(bench);
        check_latencies(bench, bare);
        bench.random.seed(7);
        check_posted(bench);
        check_dual_access(bench);
        check_ports(bench);
        check_endurance(bench);
        check_variation(bench);
        check_refusals(bench, exact);
        check_by_column(bench);
        check_garbled(bench);
        check_latencies(bench, timing_only);
    });
    CHECK(bench.count("column_writes", timing_only) > 0);
}
