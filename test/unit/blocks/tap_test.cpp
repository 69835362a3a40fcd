// SPDX-License-Identifier: Apache-2.0
// Tests taps. A block writes results to memory and also to a stream port, and the port's reader
// runs at the same time.
#include "core/numerics/numerics.hpp"
#include "ip/rsa/module.hpp"
#include "ip/sfu/module.hpp"
#include "test/unit/blocks/bench.hpp"

#include <algorithm>
#include <cstddef>

namespace {

using namespace levee;
using namespace levee::test;

constexpr unsigned array = 0, unit = 1, listener = 2; // numbers of the blocks
constexpr std::uint32_t heads = 4, rows = 8, n = 64, k = 64;
constexpr std::uint32_t elements = heads * rows * n;
constexpr Picoseconds fill = 7'000;
constexpr Picoseconds cycle = 1'000;
constexpr std::uint32_t valid = 40; // Every head except the last has this many tokens.

/// A system that computes attention scores and their softmax. A second function unit replaces the
/// evictor.
struct System : Bench {
    rsa::Rsa rsa{
        "rsa", {Clock{1'000'000'000}, {32, 32, 128, 1024, true}, false, queue_config}, fabric};
    sfu::Sfu sfu;
    sfu::Sfu second{"second", {Clock{1'000'000'000}, 64, 4, queue_config}, fabric};
    std::uint64_t lengths = put<std::uint32_t>({valid, valid, valid, n});
    std::uint64_t scores_at = take(elements * 4), out_at = take(elements * 4),
                  heard_at = take(elements * 4), factors_at = 0;

    explicit System(std::uint32_t lanes = 64)
        : Bench("bench", {{"scores", 64'000'000'000, fill}, {"tap", 64'000'000'000, fill}},
                512'000'000'000),
          sfu("sfu", {Clock{1'000'000'000}, lanes, 4, queue_config}, fabric)
    {
        connect(rsa.queue);
        connect(sfu.queue);
        connect(second.queue);
        std::vector<float> factors(n);
        for (std::size_t i = 0; i < n; ++i)
            factors[i] = 0.5f + unit_interval(random_word(3, 1, i));
        factors_at = put(factors);
    }

    levee_rsa_operation scores()
    {
        levee_rsa_operation op{};
        op.outer[0] = 1;
        op.outer[1] = heads;
        op.m1 = rows;
        op.m0 = 1;
        op.k = k;
        op.n = n;
        op.a_type = op.b_type = LEVEE_TYPE_INT16;
        op.flags = LEVEE_RSA_B_TRANSPOSED;
        op.alpha = 1e-9f;
        op.a_stride[2] = op.b_stride[2] = 2 * k;
        op.a_stride[1] = 2 * k * rows;
        op.b_stride[1] = 2 * k * n;
        std::vector<std::int16_t> a(heads * rows * k), b(heads * n * k);
        for (std::size_t i = 0; i < a.size(); ++i)
            a[i] = static_cast<std::int16_t>(random_word(1, 1, i));
        for (std::size_t i = 0; i < b.size(); ++i)
            b[i] = static_cast<std::int16_t>(random_word(2, 1, i));
        op.a = put(a);
        op.b = put(b);
        op.ragged = LEVEE_RSA_RAGGED_N;
        op.lengths = lengths;
        op.lengths_stride[1] = 4;
        op.out = scores_at;
        op.out_stride[2] = 4 * n;
        op.out_stride[1] = 4 * n * rows;
        return op;
    }
    levee_sfu_operation vectors(std::uint64_t x, std::uint64_t out)
    {
        levee_sfu_operation op{};
        op.outer[0] = 1;
        op.outer[1] = heads;
        op.rows = rows;
        op.n = n;
        op.x_type = op.out_type = LEVEE_TYPE_FP32;
        op.x = x;
        op.out = out;
        op.x_stride[2] = op.out_stride[2] = 4 * n;
        op.x_stride[1] = op.out_stride[1] = 4 * n * rows;
        return op;
    }
    levee_sfu_operation softmax(std::uint64_t x, bool times_y)
    {
        levee_sfu_operation op = vectors(x, out_at);
        op.lengths = lengths;
        op.lengths_stride[1] = 4;
        op.y = times_y ? factors_at : 0;
        op.y_stride[2] = 4;
        return op;
    }
    /// Returns a descriptor that writes the data from the port to memory.
    levee_descriptor listen(unsigned port)
    {
        return describe(LEVEE_SFU_QUANTISE, vectors(LEVEE_STREAM(port), heard_at));
    }
    std::vector<std::uint32_t> words(std::uint64_t address)
    {
        return get<std::uint32_t>(address, elements);
    }
    void settle_all()
    {
        for (const unsigned block : {array, unit, listener})
            CHECK(settle(block));
    }
    std::uint32_t error(unsigned block) { return reg(block, LEVEE_CMD_ERROR_CODE); }
};

levee_descriptor gemm(const levee_rsa_operation& op)
{
    return describe(LEVEE_RSA_GEMM, op);
}
levee_descriptor softmax(const levee_sfu_operation& op)
{
    return describe(LEVEE_SFU_SOFTMAX, op);
}

} // namespace

TEST_CASE("the array's tap carries the results written to memory, in rows of n with 0 at the end")
{
    System system;
    system.run([&] {
        std::memset(system.at(system.scores_at), 0xFF, elements * 4);
        const levee_rsa_operation plain = system.scores();
        CHECK(system.execute(array, gemm(plain)) == LEVEE_ERROR_NONE);
        const auto expected = system.words(system.scores_at);

        levee_rsa_operation tapped = plain;
        tapped.tap = 1 + 1;
        std::memset(system.at(system.scores_at), 0xFF, elements * 4);
        system.submit(array, {gemm(tapped)});
        sc_core::wait(50, sc_core::SC_US);
        CHECK(system.words(system.scores_at) == std::vector<std::uint32_t>(elements, 0xFFFFFFFF));
        system.submit(listener, {system.listen(1)});
        system.settle_all();
        CHECK(system.words(system.scores_at) == expected);
        auto in_full = expected;
        std::replace(in_full.begin(), in_full.end(), 0xFFFFFFFFu, 0u);
        CHECK(in_full != expected);
        CHECK(system.words(system.heard_at) == in_full);
    });
}

TEST_CASE("softmax's tap carries the probabilities, and its output their product with y")
{
    System system;
    system.run([&] {
        CHECK(system.execute(array, gemm(system.scores())) == LEVEE_ERROR_NONE);
        CHECK(system.execute(unit, softmax(system.softmax(system.scores_at, false))) ==
              LEVEE_ERROR_NONE);
        const auto probabilities = system.words(system.out_at);
        CHECK(system.execute(unit, softmax(system.softmax(system.scores_at, true))) ==
              LEVEE_ERROR_NONE);
        const auto products = system.words(system.out_at);
        CHECK(products != probabilities);

        levee_sfu_operation tapped = system.softmax(system.scores_at, true);
        tapped.tap = 1 + 1;
        std::memset(system.at(system.out_at), 0xFF, elements * 4);
        system.submit(listener, {system.listen(1)});
        system.submit(unit, {softmax(tapped)});
        system.settle_all();
        CHECK(system.words(system.out_at) == products);
        CHECK(system.words(system.heard_at) == probabilities);
    });
}

TEST_CASE("a listed tap puts probabilities at listed places, 0 elsewhere, in the time of its width")
{
    constexpr std::uint32_t width = 3 * n, lanes = 2;
    System system(lanes);
    system.run([&] {
        CHECK(system.execute(array, gemm(system.scores())) == LEVEE_ERROR_NONE);
        CHECK(system.execute(unit, softmax(system.softmax(system.scores_at, true))) ==
              LEVEE_ERROR_NONE);
        const auto products = system.words(system.out_at);
        CHECK(system.execute(unit, softmax(system.softmax(system.scores_at, false))) ==
              LEVEE_ERROR_NONE);
        const auto probabilities = system.words(system.out_at);
        // Every two heads share a list of places. Words after the valid elements select no place.
        std::vector<std::uint32_t> places((heads + 1) / 2 * n, 0xFFFFFFFF);
        std::vector<std::uint32_t> lengths;
        for (std::uint32_t list = 0; list < (heads + 1) / 2; ++list) {
            lengths.push_back(valid);
            for (std::uint32_t i = 0; i < valid; ++i)
                places[list * n + i] = 3 * i + list % 3;
        }
        levee_sfu_operation tapped = system.softmax(system.scores_at, true);
        tapped.lengths = system.put(lengths);
        tapped.y_stride[1] = 0;
        tapped.group = 2;
        tapped.tap = 1 + 1;
        tapped.flags = LEVEE_SFU_TAP_LISTED;
        tapped.indices = system.put(places);
        tapped.indices_stride[1] = 4 * n;
        tapped.seed = width;
        levee_sfu_operation wide = system.vectors(LEVEE_STREAM(1), system.take(3 * elements * 4));
        wide.n = width;
        wide.out_stride[2] = 4 * width;
        wide.out_stride[1] = 4 * width * rows;
        levee_descriptor descriptors[] = {softmax(tapped), describe(LEVEE_SFU_QUANTISE, wide)};
        for (unsigned block = 0; block < 2; ++block) {
            descriptors[block].signal_counter[0] = 0;
            descriptors[block].signal_add[0] = 1;
            system.submit(unit + block, {descriptors[block]});
        }
        const Picoseconds begun = now_ps() - hop;
        while (system.sync.value(0) != 2)
            sc_core::wait(system.sync.changed(0));
        CHECK(now_ps() - begun == fetch + 2 * (hop + memory_latency) + fill +
                                      (heads * rows * (n / lanes + width / lanes) + 4) * cycle);
        const auto heard = system.get<std::uint32_t>(wide.out, 3 * elements);
        const auto out = system.words(system.out_at);
        for (std::uint32_t head = 0; head + 1 < heads; ++head) // The last head's length differs.
            for (std::uint32_t row = 0; row < rows; ++row) {
                const std::size_t vector = head * rows + row;
                std::vector<std::uint32_t> expected(width, 0);
                for (std::uint32_t i = 0; i < valid; ++i)
                    expected[3 * i + head / 2 % 3] = probabilities[vector * n + i];
                CHECK(std::equal(expected.begin(), expected.end(), &heard[vector * width]));
                CHECK(std::equal(&out[vector * n], &out[vector * n] + n, &products[vector * n]));
            }
    });
}

TEST_CASE("array, softmax and the tap's reader run as one chain at the pace of the slowest")
{
    constexpr std::uint32_t lanes = 2; // The function unit is the slowest.
    System system(lanes);
    system.run([&] {
        CHECK(system.execute(array, gemm(system.scores())) == LEVEE_ERROR_NONE);
        CHECK(system.execute(unit, softmax(system.softmax(system.scores_at, true))) ==
              LEVEE_ERROR_NONE);
        const auto expected = system.words(system.out_at);
        CHECK(system.execute(unit, softmax(system.softmax(system.scores_at, false))) ==
              LEVEE_ERROR_NONE);
        const auto probabilities = system.words(system.out_at);

        levee_rsa_operation produce = system.scores();
        produce.out = LEVEE_STREAM(0);
        levee_sfu_operation between = system.softmax(LEVEE_STREAM(0), true);
        between.tap = 1 + 1;
        levee_descriptor descriptors[] = {gemm(produce), softmax(between), system.listen(1)};
        for (unsigned block = 0; block < 3; ++block) {
            descriptors[block].signal_counter[0] = 0;
            descriptors[block].signal_add[0] = 1;
            system.submit(block, {descriptors[block]});
        }
        const Picoseconds begun = now_ps() - hop;
        while (system.sync.value(0) != 3)
            sc_core::wait(system.sync.changed(0));
        CHECK(now_ps() - begun == fetch + 3 * (hop + memory_latency) + 2 * fill +
                                      (heads * rows * 2 * (n / lanes) + 4) * cycle);
        system.settle_all();
        CHECK(system.words(system.out_at) == expected);
        CHECK(system.words(system.heard_at) == probabilities);
    });
}

TEST_CASE("probabilities with known sums go from stream to stream, and nowhere else")
{
    System system;
    system.run([&] {
        CHECK(system.execute(array, gemm(system.scores())) == LEVEE_ERROR_NONE);
        levee_sfu_operation part = system.softmax(system.scores_at, false);
        part.flags = LEVEE_SFU_FIRST;
        part.gain = system.take(8 * heads * rows);
        part.bias = system.take(4 * heads * rows);
        part.out_scale_stride[1] = 4 * rows;
        part.out_scale_stride[2] = 4;
        CHECK(system.execute(unit, describe(LEVEE_SFU_SOFTMAX_PART, part)) == LEVEE_ERROR_NONE);
        const auto probabilities = system.words(system.out_at);
        std::memset(system.at(system.out_at), 0xFF, elements * 4);

        levee_rsa_operation produce = system.scores();
        produce.out = LEVEE_STREAM(0);
        levee_sfu_operation known = part;
        known.flags = 0;
        known.x = LEVEE_STREAM(0);
        known.out = 0;
        known.tap = 1 + 1;
        system.submit(array, {gemm(produce)});
        system.submit(unit, {describe(LEVEE_SFU_SOFTMAX_KNOWN, known)});
        system.submit(listener, {system.listen(1)});
        system.settle_all();
        CHECK(system.words(system.heard_at) == probabilities);
        CHECK(system.words(system.out_at) == std::vector<std::uint32_t>(elements, 0xFFFFFFFF));
    });
}

TEST_CASE("the function unit adds a row to sums between two ports, in the chain's own time")
{
    constexpr std::uint32_t lanes = 2; // The function unit is the slowest.
    System system(lanes);
    system.run([&] {
        CHECK(system.execute(array, gemm(system.scores())) == LEVEE_ERROR_NONE);
        levee_sfu_operation plus = system.vectors(system.scores_at, system.out_at);
        plus.y = system.factors_at; // Every row has the same factors.
        CHECK(system.execute(unit, describe(LEVEE_SFU_ADD, plus)) == LEVEE_ERROR_NONE);
        const auto expected = system.words(system.out_at);
        CHECK(expected != system.words(system.scores_at));
        std::memset(system.at(system.out_at), 0xFF, elements * 4);

        levee_rsa_operation produce = system.scores();
        produce.out = LEVEE_STREAM(0);
        plus.x = LEVEE_STREAM(0);
        plus.out = LEVEE_STREAM(1);
        levee_descriptor descriptors[] = {gemm(produce), describe(LEVEE_SFU_ADD, plus),
                                          system.listen(1)};
        for (unsigned block = 0; block < 3; ++block) {
            descriptors[block].signal_counter[0] = 0;
            descriptors[block].signal_add[0] = 1;
            system.submit(block, {descriptors[block]});
        }
        const Picoseconds begun = now_ps() - hop;
        while (system.sync.value(0) != 3)
            sc_core::wait(system.sync.changed(0));
        CHECK(now_ps() - begun == fetch + 3 * (hop + memory_latency) + 2 * fill +
                                      (heads * rows * (n / lanes) + 4) * cycle);
        system.settle_all();
        CHECK(system.words(system.heard_at) == expected);
        CHECK(system.words(system.out_at) == std::vector<std::uint32_t>(elements, 0xFFFFFFFF));
    });
}

TEST_CASE("operands that the function unit cannot send to a port are refused by field")
{
    System system;
    system.run([&] {
        const auto refused = [&](std::uint8_t opcode, levee_command_error code, std::size_t member,
                                 auto change) {
            levee_sfu_operation op = system.vectors(system.scores_at, LEVEE_STREAM(1));
            op.y = system.factors_at;
            op.indices = system.lengths;
            change(op);
            CHECK(system.execute(unit, describe(opcode, op)) == code);
            CHECK(system.reg(unit, LEVEE_CMD_ERROR_FIELD) == operation_field(member));
            system.set_reg(unit, LEVEE_CMD_CONTROL, LEVEE_CMD_CONTROL_RESET);
        };
        using Op = levee_sfu_operation;
        refused(LEVEE_SFU_ADD, LEVEE_ERROR_TYPE, offsetof(Op, out_type),
                [](Op& o) { o.out_type = LEVEE_TYPE_FP16; });
        refused(LEVEE_SFU_ADD, LEVEE_ERROR_FIELD, offsetof(Op, flags),
                [](Op& o) { o.flags = LEVEE_SFU_SCATTER; });
        refused(LEVEE_SFU_ARGMAX, LEVEE_ERROR_STREAM, offsetof(Op, out), [](Op&) {});
        refused(LEVEE_SFU_ADD, LEVEE_ERROR_STREAM, offsetof(Op, out),
                [](Op& o) { o.out = LEVEE_STREAM(7); });
    });
}

TEST_CASE("a tap whose reader is refused stops its producers, and nothing is written")
{
    System system;
    system.run([&] {
        levee_rsa_operation produce = system.scores();
        produce.out = LEVEE_STREAM(0);
        levee_sfu_operation between = system.softmax(LEVEE_STREAM(0), true);
        between.tap = 1 + 1;
        auto reader = system.vectors(LEVEE_STREAM(1), system.heard_at);
        reader.rows = 1;
        std::memset(system.at(system.out_at), 0xFF, elements * 4);
        system.submit(array, {gemm(produce)});
        system.submit(unit, {softmax(between)});
        system.submit(listener, {describe(LEVEE_SFU_QUANTISE, reader)});
        system.settle_all();
        for (const unsigned block : {array, unit, listener})
            CHECK(system.error(block) == LEVEE_ERROR_STREAM);
        CHECK(system.reg(unit, LEVEE_CMD_ERROR_FIELD) ==
              operation_field(offsetof(levee_sfu_operation, tap)));
        CHECK(system.words(system.out_at) == std::vector<std::uint32_t>(elements, 0xFFFFFFFF));
    });
}

TEST_CASE("taps without a port, or together with a stream, are refused at their field")
{
    System system;
    system.run([&] {
        const auto refused = [&](unsigned block, const levee_descriptor& descriptor,
                                 levee_command_error code, std::size_t member) {
            CHECK(system.execute(block, descriptor) == code);
            CHECK(system.reg(block, LEVEE_CMD_ERROR_FIELD) == operation_field(member));
            system.set_reg(block, LEVEE_CMD_CONTROL, LEVEE_CMD_CONTROL_RESET);
        };
        levee_rsa_operation product = system.scores();
        for (const std::uint32_t tap : {3u, 0xFFFFFFFFu}) {
            product.tap = tap;
            refused(array, gemm(product), LEVEE_ERROR_STREAM, offsetof(levee_rsa_operation, tap));
        }
        product.tap = 1;
        product.out = LEVEE_STREAM(0);
        refused(array, gemm(product), LEVEE_ERROR_FIELD, offsetof(levee_rsa_operation, tap));

        levee_sfu_operation vectors = system.softmax(system.scores_at, false);
        vectors.tap = 3;
        refused(unit, softmax(vectors), LEVEE_ERROR_STREAM, offsetof(levee_sfu_operation, tap));
        vectors.tap = 1;
        vectors.out = LEVEE_STREAM(0);
        refused(unit, softmax(vectors), LEVEE_ERROR_FIELD, offsetof(levee_sfu_operation, tap));
        vectors.out = system.out_at;
        refused(unit, describe(LEVEE_SFU_RELU, vectors), LEVEE_ERROR_FIELD,
                offsetof(levee_sfu_operation, tap));

        vectors.flags = LEVEE_SFU_TAP_LISTED;
        vectors.seed = n;
        refused(unit, softmax(vectors), LEVEE_ERROR_ADDRESS,
                offsetof(levee_sfu_operation, indices));
        vectors.indices = system.put(std::vector<std::uint32_t>(heads * n, n));
        vectors.seed = n - 1;
        refused(unit, softmax(vectors), LEVEE_ERROR_FIELD, offsetof(levee_sfu_operation, seed));
        vectors.seed = 0xFFFFFFFF;
        refused(unit, softmax(vectors), LEVEE_ERROR_FIELD, offsetof(levee_sfu_operation, seed));
        vectors.seed = n; // This value exceeds every slot number.
        refused(unit, softmax(vectors), LEVEE_ERROR_FIELD, offsetof(levee_sfu_operation, indices));
        vectors.tap = 0;
        refused(unit, softmax(vectors), LEVEE_ERROR_FIELD, offsetof(levee_sfu_operation, flags));
    });
}
