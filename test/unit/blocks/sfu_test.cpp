// SPDX-License-Identifier: Apache-2.0
#include "core/numerics/numerics.hpp"
#include "core/numerics/tensor.hpp"
#include "ip/sfu/model.hpp"
#include "ip/sfu/module.hpp"
#include "test/unit/blocks/bench.hpp"
#include "test/unit/blocks/random_vectors.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace {

using namespace levee;
using namespace levee::test;

using Op = levee_sfu_operation;

constexpr std::uint32_t lanes = 8;
constexpr std::uint32_t pipeline = 10;
constexpr Picoseconds cycle = 1000;

struct System : Bench {
    sfu::Sfu sfu{"sfu", {Clock{1'000'000'000}, lanes, pipeline, queue_config}, fabric};
    System() : Bench("bench", {}, 256'000'000'000) { connect(sfu.queue); }
};

/// Returns the number of passes over a vector, as stated in ip/sfu/README.md.
std::uint64_t passes(const Vectors& vectors)
{
    switch (vectors.opcode) {
    case LEVEE_SFU_ARGMAX:
    case LEVEE_SFU_LOG_PROB:
        return 1;
    case LEVEE_SFU_SAMPLE:
        return 2;
    case LEVEE_SFU_RMS_NORM:
    case LEVEE_SFU_LAYER_NORM:
    case LEVEE_SFU_SOFTMAX:
        return is_coded(vectors.op.out_type) ? 3 : 2;
    case LEVEE_SFU_ROPE:
    case LEVEE_SFU_QUANTISE:
        return (is_coded(vectors.op.out_type) ? 2 : 1) + (vectors.op.gain != 0 ? 1 : 0) +
               vectors.op.block_log2;
    default:
        return is_coded(vectors.op.out_type) ? 2 : 1;
    }
}

} // namespace

TEST_CASE("random operations of every opcode equal the reference, and write nothing else")
{
    System system;
    system.run([&] {
        const std::uint64_t mark = system.mark();
        for (std::uint8_t opcode = LEVEE_SFU_RMS_NORM; opcode <= LEVEE_SFU_CLAMPED_MUL; ++opcode)
            for (std::uint32_t seed = 0; seed < 120; ++seed) {
                if (opcode == LEVEE_SFU_ROUTE || opcode == LEVEE_SFU_COMBINE)
                    continue; // These operations are tested in experts_test.cpp.
                system.release(mark);
                Vectors vectors(system, opcode, seed);
                vectors.fill_output();
                INFO("opcode " << int{opcode} << ", seed " << seed);
                CHECK(system.execute(0, describe(opcode, vectors.op)) == LEVEE_ERROR_NONE);
                CHECK(vectors.output() == vectors.expected());
            }
    });
}

TEST_CASE("an operation takes its passes over the lanes, and the pipeline's fill once")
{
    System system;
    system.run([&] {
        CHECK(system.reg(0, LEVEE_SFU_LANES) == lanes);
        CHECK(system.reg(0, LEVEE_SFU_CLOCK_KHZ) == 1'000'000);
        for (std::uint8_t opcode = LEVEE_SFU_RMS_NORM; opcode <= LEVEE_SFU_LOG_PROB; ++opcode) {
            const std::uint64_t mark = system.mark();
            Vectors vectors(system, opcode, 1000u + opcode);
            levee_descriptor descriptor = describe(opcode, vectors.op);
            descriptor.signal_counter[0] = 0;
            descriptor.signal_add[0] = 1;
            const std::uint32_t before = system.sync.value(0);
            system.submit(0, {descriptor});
            const Picoseconds begun = now_ps() - hop;
            while (system.sync.value(0) == before)
                sc_core::wait(system.sync.changed(0));
            const std::uint64_t cycles =
                vectors.vectors() * passes(vectors) * ((vectors.op.n + lanes - 1) / lanes) +
                pipeline;
            INFO("opcode " << int{opcode});
            // At 256 GB/s the memory is the bottleneck only for short operations.
            CHECK(now_ps() - begun >= fetch + hop + memory_latency + cycles * cycle);
            if (passes(vectors) >= 2)
                CHECK(now_ps() - begun == fetch + hop + memory_latency + cycles * cycle);
            system.release(mark);
        }
    });
}

TEST_CASE("partial signals come with the vectors of each outer iteration")
{
    System system;
    system.run([&] {
        Op op{};
        op.outer[0] = 2;
        op.outer[1] = 3;
        op.rows = 2;
        op.n = 64;
        op.x_type = op.out_type = LEVEE_TYPE_FP32;
        op.x = system.put(std::vector<float>(12 * 64, 1.5f));
        op.out = system.take(12 * 256);
        op.x_stride[2] = op.out_stride[2] = 256;
        op.x_stride[1] = op.out_stride[1] = 512;
        op.x_stride[0] = op.out_stride[0] = 1536;
        levee_descriptor descriptor = describe(LEVEE_SFU_RELU, op);
        descriptor.signal_counter[0] = 0;
        descriptor.signal_add[0] = 1;
        descriptor.signal_every[0] = 2;
        system.submit(0, {descriptor});
        for (std::uint32_t i = 1; i <= 3; ++i) {
            while (system.sync.value(0) < i)
                sc_core::wait(system.sync.changed(0));
            const auto out = system.get<float>(op.out, 12 * 64);
            CHECK(std::count(out.begin(), out.end(), 1.5f) == i * 2 * 2 * 64);
            CHECK(out[i * 2 * 2 * 64 - 1] == 1.5f);
        }
        CHECK(system.settle(0));
    });
}

namespace {

/// A valid operation of the unit. The tests change one member at a time.
struct Refusals {
    System& system;
    Op good{};
    std::uint64_t words; ///< The words are 0, 17, 99 and one far out of range.

    explicit Refusals(System& machine)
        : system(machine), words(machine.put<std::uint32_t>({0, 17, 99, 0x4000'0000}))
    {
        good.outer[0] = good.outer[1] = good.rows = 1;
        good.n = 16;
        good.x_type = good.out_type = LEVEE_TYPE_FP32;
        good.x = system.take(64);
        good.y = system.take(64);
        good.out = system.take(64);
    }
    template <typename Spoil>
    void refused(std::uint8_t opcode, levee_command_error code, std::size_t member, Spoil spoil)
    {
        Op bad = good;
        spoil(bad);
        INFO("opcode " << int{opcode} << ", member " << member);
        CHECK(system.execute(0, describe(opcode, bad)) == code);
        CHECK(system.reg(0, LEVEE_CMD_ERROR_FIELD) == operation_field(member));
        system.set_reg(0, LEVEE_CMD_CONTROL, LEVEE_CMD_CONTROL_RESET);
    }
};

} // namespace

TEST_CASE("opcodes, shapes and flags that the function unit does not support are refused by field")
{
    System system;
    system.run([&] {
        Refusals refusals(system);
        for (const std::uint8_t opcode : {0, LEVEE_SFU_CLAMPED_MUL + 1}) {
            CHECK(system.execute(0, describe(opcode, refusals.good)) == LEVEE_ERROR_OPCODE);
            system.set_reg(0, LEVEE_CMD_CONTROL, LEVEE_CMD_CONTROL_RESET);
        }
        refusals.refused(LEVEE_SFU_ADD, LEVEE_ERROR_FIELD, offsetof(Op, rows),
                         [](Op& o) { o.rows = 0; });
        refusals.refused(LEVEE_SFU_ADD, LEVEE_ERROR_FIELD, offsetof(Op, n), [](Op& o) { o.n = 0; });
        refusals.refused(LEVEE_SFU_ADD, LEVEE_ERROR_FIELD, offsetof(Op, outer),
                         [](Op& o) { o.outer[0] = 0; });
        refusals.refused(LEVEE_SFU_ADD, LEVEE_ERROR_FIELD, offsetof(Op, outer),
                         [](Op& o) { o.outer[0] = o.outer[1] = o.rows = 0xFFFF; });
        refusals.refused(LEVEE_SFU_ADD, LEVEE_ERROR_FIELD, offsetof(Op, flags),
                         [](Op& o) { o.flags = LEVEE_SFU_CAUSAL; });
        refusals.refused(LEVEE_SFU_SOFTMAX, LEVEE_ERROR_FIELD, offsetof(Op, flags),
                         [](Op& o) { o.flags = 0x80; });
        refusals.refused(LEVEE_SFU_SOFTMAX, LEVEE_ERROR_FIELD, offsetof(Op, rows), [](Op& o) {
            o.flags = LEVEE_SFU_CAUSAL;
            o.rows = 17;
            o.out_stride[2] = 64;
        });
        refusals.refused(LEVEE_SFU_SOFTMAX, LEVEE_ERROR_FIELD, offsetof(Op, lengths),
                         [&](Op& o) { o.lengths = refusals.words; });
        refusals.refused(LEVEE_SFU_SOFTMAX, LEVEE_ERROR_FIELD, offsetof(Op, lengths),
                         [&](Op& o) { o.lengths = refusals.words + 4; });
        refusals.refused(LEVEE_SFU_SOFTMAX, LEVEE_ERROR_FIELD, offsetof(Op, length_add), [](Op& o) {
            o.seed = 4;
            o.length_add = UINT32_MAX;
        });
        refusals.refused(LEVEE_SFU_SOFTMAX, LEVEE_ERROR_FIELD, offsetof(Op, lengths), [&](Op& o) {
            o.seed = 4;
            o.lengths = refusals.words; // The length there is 0.
        });
        refusals.refused(LEVEE_SFU_ROPE, LEVEE_ERROR_FIELD, offsetof(Op, n),
                         [](Op& o) { o.n = 15; });
        for (const std::uint32_t rotated : {3U, 18U})
            refusals.refused(LEVEE_SFU_ROPE, LEVEE_ERROR_FIELD, offsetof(Op, seed),
                             [rotated](Op& o) { o.seed = rotated; });
        for (const float cap : {-1.0F, std::numeric_limits<float>::infinity(),
                                std::numeric_limits<float>::quiet_NaN()})
            refusals.refused(LEVEE_SFU_SOFTMAX, LEVEE_ERROR_FIELD, offsetof(Op, cap),
                             [cap](Op& o) { o.cap = cap; });
        refusals.refused(LEVEE_SFU_ADD, LEVEE_ERROR_FIELD, offsetof(Op, cap),
                         [](Op& o) { o.cap = 30.0F; });
        refusals.refused(LEVEE_SFU_GELU_MUL, LEVEE_ERROR_ADDRESS, offsetof(Op, y),
                         [](Op& o) { o.y = 0; });
        refusals.refused(LEVEE_SFU_LOG_PROB, LEVEE_ERROR_FIELD, offsetof(Op, indices),
                         [&](Op& o) { o.indices = refusals.words + 4; });
        CHECK(system.execute(0, describe(LEVEE_SFU_ADD, refusals.good)) == LEVEE_ERROR_NONE);
    });
}

TEST_CASE("results are FP32 or FP16, or integer codes with a place for their scales")
{
    System system;
    system.run([&] {
        Refusals refusals(system);
        const auto refused = [&](levee_type type, levee_command_error code, std::size_t member) {
            refusals.refused(LEVEE_SFU_ADD, code, member, [type](Op& o) { o.out_type = type; });
        };
        refused(LEVEE_TYPE_INT16, LEVEE_ERROR_ADDRESS, offsetof(Op, out_scale));
        refused(LEVEE_TYPE_INT8, LEVEE_ERROR_ADDRESS, offsetof(Op, out_scale));
        refused(LEVEE_TYPE_INT4, LEVEE_ERROR_ADDRESS, offsetof(Op, out_scale));
        refused(LEVEE_TYPE_UINT32, LEVEE_ERROR_TYPE, offsetof(Op, out_type));
    });
}

TEST_CASE(
    "addresses, types and streams that the function unit does not support are refused by field")
{
    System system;
    system.run([&] {
        Refusals refusals(system);
        refusals.refused(LEVEE_SFU_ROPE, LEVEE_ERROR_ADDRESS, offsetof(Op, y),
                         [](Op& o) { o.y = 0; });
        refusals.refused(LEVEE_SFU_ADD, LEVEE_ERROR_ADDRESS, offsetof(Op, y),
                         [](Op& o) { o.y = 0x100; });
        refusals.refused(LEVEE_SFU_ADD, LEVEE_ERROR_ADDRESS, offsetof(Op, x),
                         [](Op& o) { o.x += 2; });
        refusals.refused(LEVEE_SFU_ADD, LEVEE_ERROR_ADDRESS, offsetof(Op, out),
                         [](Op& o) { o.out = memory_base + memory_bytes - 60; });
        refusals.refused(LEVEE_SFU_ADD, LEVEE_ERROR_TYPE, offsetof(Op, x_type),
                         [](Op& o) { o.x_type = LEVEE_TYPE_INT8; });
        refusals.refused(LEVEE_SFU_ADD, LEVEE_ERROR_TYPE, offsetof(Op, y_type),
                         [](Op& o) { o.y_type = LEVEE_TYPE_INT8; });
        refusals.refused(LEVEE_SFU_ROPE, LEVEE_ERROR_TYPE, offsetof(Op, y_type),
                         [](Op& o) { o.y_type = LEVEE_TYPE_FP16; });
        refusals.refused(LEVEE_SFU_ADD, LEVEE_ERROR_FIELD, offsetof(Op, block_log2),
                         [](Op& o) { o.block_log2 = 3; });
        refusals.refused(LEVEE_SFU_QUANTISE, LEVEE_ERROR_FIELD, offsetof(Op, block_log2),
                         [](Op& o) { o.n = 24, o.block_log2 = 4; });
        refusals.refused(LEVEE_SFU_QUANTISE, LEVEE_ERROR_FIELD, offsetof(Op, block_log2),
                         [](Op& o) { o.n = 1u << 16, o.block_log2 = 16; });
        refusals.refused(LEVEE_SFU_EMBED, LEVEE_ERROR_ADDRESS, offsetof(Op, indices), [](Op&) {});
        refusals.refused(LEVEE_SFU_EMBED, LEVEE_ERROR_ADDRESS, offsetof(Op, x), [&](Op& o) {
            o.indices = refusals.words + 12; // This index is far out of range.
            o.x_stride[2] = 64;
        });
        refusals.refused(LEVEE_SFU_EMBED, LEVEE_ERROR_ADDRESS, offsetof(Op, gain), [&](Op& o) {
            o.x_type = LEVEE_TYPE_INT8;
            o.indices = refusals.words;
        });
        refusals.refused(LEVEE_SFU_ADD, LEVEE_ERROR_ADDRESS, offsetof(Op, out), [&](Op& o) {
            o.flags = LEVEE_SFU_SCATTER;
            o.indices = refusals.words + 12;
            o.out_stride[2] = 64;
        });
        refusals.refused(LEVEE_SFU_ADD, LEVEE_ERROR_STREAM, offsetof(Op, x),
                         [](Op& o) { o.x = LEVEE_STREAM(5); });
        CHECK(system.execute(0, describe(LEVEE_SFU_ADD, refusals.good)) == LEVEE_ERROR_NONE);
    });
}

TEST_CASE("a softmax in parts is refused without its sums, and FIRST outside of such a softmax")
{
    System system;
    system.run([&] {
        Refusals refusals(system);
        refusals.refused(LEVEE_SFU_SOFTMAX_PART, LEVEE_ERROR_ADDRESS, offsetof(Op, gain),
                         [](Op&) {});
        refusals.refused(LEVEE_SFU_SOFTMAX_PART, LEVEE_ERROR_ADDRESS, offsetof(Op, bias),
                         [](Op& o) { o.gain = o.y; });
        refusals.refused(LEVEE_SFU_SOFTMAX_KNOWN, LEVEE_ERROR_ADDRESS, offsetof(Op, out),
                         // The operation has no tap either.
                         [](Op& o) { o.gain = o.y, o.out = 0; });
        refusals.refused(LEVEE_SFU_SOFTMAX_KNOWN, LEVEE_ERROR_FIELD, offsetof(Op, flags),
                         [](Op& o) { o.flags = LEVEE_SFU_FIRST, o.gain = o.y; });
        const std::uint32_t first_stride = offsetof(Op, out_scale_stride);
        refusals.refused(LEVEE_SFU_SOFTMAX_PART, LEVEE_ERROR_ADDRESS, first_stride, [](Op& o) {
            o.gain = o.y, o.bias = o.y; // Pairs of sums need twice this distance.
            o.out_scale_stride[0] = std::numeric_limits<std::int32_t>::min();
        });
        CHECK(system.execute(0, describe(LEVEE_SFU_ADD, refusals.good)) == LEVEE_ERROR_NONE);
    });
}

TEST_CASE("an observer sees each vector from which a token is picked")
{
    System system;
    std::vector<float> seen;
    system.sfu.on_logits(
        [&](std::span<const float> x) { seen.insert(seen.end(), x.begin(), x.end()); });
    system.run([&] {
        Op op{};
        op.outer[0] = op.outer[1] = 1;
        op.rows = 2;
        op.n = 3;
        op.x_type = LEVEE_TYPE_FP32;
        op.x_stride[2] = 12;
        op.out_stride[2] = sizeof(levee_sfu_pick);
        op.x = system.put<float>({1, 3, 2, 6, 5, 4});
        op.out = system.take(2 * sizeof(levee_sfu_pick));
        CHECK(system.execute(0, describe(LEVEE_SFU_ARGMAX, op)) == LEVEE_ERROR_NONE);
        const auto picks = system.get<levee_sfu_pick>(op.out, 2);
        CHECK(picks[0].index == 1);
        CHECK(picks[0].value == 3.0f);
        CHECK(picks[1].index == 0);
    });
    CHECK(seen == std::vector<float>{1, 3, 2, 6, 5, 4});
}

TEST_CASE("softmax reads its scores from memory once")
{
    System system;
    system.run([&] {
        Op op{};
        op.outer[0] = op.outer[1] = 1;
        op.rows = 5;
        op.n = 96;
        op.x_type = op.out_type = LEVEE_TYPE_FP32;
        op.x_stride[2] = op.out_stride[2] = 4 * 96;
        op.x = system.put(std::vector<float>(5 * 96, 0.25f));
        op.out = system.take(5 * 96 * 4);
        const std::uint64_t before = figure(system.memory, "read_bytes");
        const std::uint64_t at =
            system.put(std::vector<levee_descriptor>{describe(LEVEE_SFU_SOFTMAX, op)});
        system.submit_at(0, at, 1);
        CHECK(system.settle(0));
        CHECK(figure(system.memory, "read_bytes") - before == 5 * 96 * 4);
    });
}
