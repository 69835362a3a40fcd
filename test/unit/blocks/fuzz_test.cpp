// SPDX-License-Identifier: Apache-2.0
// Feeds corrupted descriptors to blocks. A block completes any descriptor or stops with an error
// code, and writes only where tensors may be.
#include "core/numerics/numerics.hpp"
#include "ip/dma/module.hpp"
#include "ip/rsa/module.hpp"
#include "ip/sfu/module.hpp"
#include "test/unit/blocks/bench.hpp"

#include <algorithm>
#include <cstddef>

namespace {

using namespace levee;
using namespace levee::test;

constexpr Clock clock_1ghz{1'000'000'000};

struct System : Bench {
    dma::Dma dma{"dma", {clock_1ghz, 64, queue_config}, fabric};
    rsa::Rsa rsa{"rsa", {clock_1ghz, {32, 32, 128, 1024, true}, false, queue_config}, fabric};
    sfu::Sfu sfu{"sfu", {clock_1ghz, 32, 10, queue_config}, fabric};

    System() : Bench("bench", {{"port", 64'000'000'000, 0}})
    {
        connect(dma.queue);
        connect(rsa.queue);
        connect(sfu.queue);
    }
};

class Dice {
public:
    explicit Dice(std::uint32_t seed) : seed_(seed) {}
    std::uint32_t word() { return random_word(seed_, 7, drawn_++); }
    std::uint32_t below(std::uint32_t bound) { return word() % bound; }
    bool one_in(std::uint32_t n) { return below(n) == 0; }
    template <typename T, std::size_t N> T pick(const T (&values)[N]) { return values[below(N)]; }

private:
    std::uint32_t seed_;
    std::uint64_t drawn_ = 0;
};

/// Returns the tap of an operation of the array (1) or the function unit (2). The tap is the stream
/// port that gets the results in addition to memory.
std::uint32_t tap_of(unsigned block, const levee_descriptor& descriptor)
{
    std::uint32_t tap = 0;
    std::memcpy(&tap,
                descriptor.operation + (block == 1 ? offsetof(levee_rsa_operation, tap)
                                                   : offsetof(levee_sfu_operation, tap)),
                sizeof tap);
    return tap;
}

// Tensors of valid descriptors are in the arena. The guard areas around the arena must never
// change.
constexpr std::uint64_t guard = 1 << 16;
constexpr std::uint64_t arena_bytes = 1 << 20;
constexpr std::uint64_t input_bytes = 0x5F000; // The inputs are all zeros.
constexpr std::uint64_t redirect_at = input_bytes;

class Fuzzer {
public:
    explicit Fuzzer(System& system) : system_(system), arena_(system.take(arena_bytes + 2 * guard))
    {
        std::memset(system.at(arena_), 0xA5, arena_bytes + 2 * guard);
        arena_ += guard;
        descriptor_ = system.take(sizeof(levee_descriptor));
    }

    std::uint64_t arena() const { return arena_; }
    std::uint64_t done() const { return done_; }
    std::uint64_t refused() const { return refused_; }

    void run(unsigned block, const levee_descriptor& descriptor)
    {
        std::memcpy(system_.at(descriptor_), &descriptor, sizeof descriptor);
        const std::uint32_t before = system_.reg(block, LEVEE_CMD_DONE_COUNT);
        system_.submit_at(block, descriptor_, 1);
        await_end(block, descriptor);
        const std::uint32_t error = system_.reg(block, LEVEE_CMD_ERROR_CODE);
        const bool is_done = system_.reg(block, LEVEE_CMD_DONE_COUNT) == before + 1;
        CHECK(error <= LEVEE_ERROR_VERSION);
        CHECK((error == LEVEE_ERROR_NONE) == is_done);
        CHECK(system_.reg(block, LEVEE_CMD_ERROR_FIELD) < LEVEE_DESCRIPTOR_BYTES);
        (is_done ? done_ : refused_) += 1;
        if (!is_done)
            system_.set_reg(block, LEVEE_CMD_CONTROL, LEVEE_CMD_CONTROL_RESET);
    }
    bool are_guards_intact() const
    {
        const auto intact = [&](std::uint64_t address) {
            const std::uint8_t* const at = system_.at(address);
            return std::all_of(at, at + guard, [](std::uint8_t byte) { return byte == 0xA5; });
        };
        return intact(arena_ - guard) && intact(arena_ + arena_bytes);
    }

    /// Returns whether the inputs are still zeros. Inputs of valid descriptors are at lower
    /// addresses than their outputs.
    bool are_inputs_intact() const
    {
        static const std::vector<std::uint8_t> zeros(input_bytes, 0);
        return std::memcmp(system_.at(arena_), zeros.data(), input_bytes) == 0;
    }
    void zero_arena()
    {
        std::memset(system_.at(arena_), 0, arena_bytes);
        // A redirection table replaces every row of B by row 0 at another address.
        levee_rsa_redirect redirect{};
        redirect.table = redirect.base = arena_ + 0x20000;
        std::memcpy(system_.at(arena_ + redirect_at), &redirect, sizeof redirect);
    }

private:
    /// Waits for the descriptor's end. A corrupted descriptor may wait for a signal or partner that
    /// never comes; the block is then reset.
    void await_end(unsigned block, const levee_descriptor& descriptor)
    {
        sc_core::wait(1, sc_core::SC_US);
        bool waits = descriptor.wait_counter[0] < 16 || descriptor.wait_counter[1] < 16 ||
                     descriptor.wait_counter[2] < 16 || descriptor.wait_counter[3] < 16;
        for (std::size_t at = 0; at + 8 <= sizeof descriptor.operation; at += 8) {
            std::uint64_t address = 0;
            std::memcpy(&address, descriptor.operation + at, sizeof address);
            waits = waits || StreamPorts::is_stream(address);
        }
        waits = waits || (block > 0 && tap_of(block, descriptor) != 0);
        while ((system_.reg(block, LEVEE_CMD_STATUS) & LEVEE_CMD_STATUS_BUSY) && !waits)
            sc_core::wait(1, sc_core::SC_MS);
        if ((system_.reg(block, LEVEE_CMD_STATUS) & LEVEE_CMD_STATUS_BUSY) == 0)
            return;
        sc_core::wait(100, sc_core::SC_MS);
        if (system_.reg(block, LEVEE_CMD_STATUS) & LEVEE_CMD_STATUS_BUSY) {
            // Too many descriptors cause an error, so that the reset has an error to clear.
            system_.submit_at(block, 1, 0xFFFF'FFFF);
            system_.set_reg(block, LEVEE_CMD_CONTROL, LEVEE_CMD_CONTROL_RESET);
            sc_core::wait(1, sc_core::SC_US);
            CHECK(system_.reg(block, LEVEE_CMD_STATUS) == LEVEE_CMD_STATUS_EMPTY);
            system_.submit_at(block, 1, 1); // A misaligned address causes a fetch error.
            CHECK(system_.settle(block));
        }
    }

    System& system_;
    std::uint64_t arena_;
    std::uint64_t descriptor_ = 0;
    std::uint64_t done_ = 0;
    std::uint64_t refused_ = 0;
};

levee_dma_operation good_copy(Dice& dice, std::uint64_t arena)
{
    levee_dma_operation op{};
    op.run_bytes = 1 + dice.below(64);
    std::int64_t stride = op.run_bytes;
    for (int level = 2; level >= 0; --level) {
        op.count[level] = 1 + dice.below(6);
        op.source_stride[level] = op.destination_stride[level] = stride;
        stride *= op.count[level];
    }
    op.source = arena;
    op.destination = arena + arena_bytes / 2;
    return op;
}

levee_rsa_operation good_gemm(Dice& dice, std::uint64_t arena)
{
    levee_rsa_operation op{};
    op.outer[0] = static_cast<std::uint16_t>(1 + dice.below(2));
    op.outer[1] = static_cast<std::uint16_t>(1 + dice.below(3));
    op.m1 = static_cast<std::uint16_t>(1 + dice.below(3));
    op.m0 = static_cast<std::uint16_t>(1 + dice.below(2));
    op.k = 1 + dice.below(40);
    op.n = 1 + dice.below(40);
    op.alpha = 1.0f;
    op.a_type = dice.pick({LEVEE_TYPE_INT8, LEVEE_TYPE_INT16});
    op.b_type = dice.pick({LEVEE_TYPE_INT4, LEVEE_TYPE_INT8, LEVEE_TYPE_INT16});
    op.flags = static_cast<std::uint8_t>(dice.below(2));
    const auto nest = [&](std::int32_t(&stride)[4], std::uint32_t bytes) {
        stride[3] = static_cast<std::int32_t>(bytes);
        stride[2] = stride[3] * op.m0;
        stride[1] = stride[2] * op.m1;
        stride[0] = stride[1] * op.outer[1];
    };
    nest(op.a_stride, 2 * op.k);
    nest(op.out_stride, 4 * op.n);
    nest(op.a_scale_stride, 4);
    op.b_stride[2] = static_cast<std::int32_t>(2 * (op.flags ? op.k : op.n));
    op.b_stride[1] = op.b_stride[2] * static_cast<std::int32_t>(op.flags ? op.n : op.k);
    op.b_stride[0] = op.b_stride[1] * op.outer[1];
    op.b_scale_stride[2] = 4;
    op.a = arena;
    op.b = arena + 0x20000;
    op.a_scale = dice.one_in(2) ? arena + 0x60000 : 0;
    op.b_scale = dice.one_in(2) ? arena + 0x61000 : 0;
    op.bias = dice.one_in(2) ? arena + 0x62000 : 0;
    op.out = arena + 0x80000;
    op.redirect = dice.one_in(2) ? arena + redirect_at : 0;
    return op;
}

levee_sfu_operation good_vectors(Dice& dice, std::uint64_t arena, std::uint8_t opcode)
{
    levee_sfu_operation op{};
    op.outer[0] = static_cast<std::uint16_t>(1 + dice.below(2));
    op.outer[1] = static_cast<std::uint16_t>(1 + dice.below(3));
    op.rows = static_cast<std::uint16_t>(1 + dice.below(4));
    op.n = 2 * (4 + dice.below(20));
    op.param = 1e-5f;
    op.x_type = dice.pick({LEVEE_TYPE_FP16, LEVEE_TYPE_FP32});
    if (opcode == LEVEE_SFU_SILU_MUL || opcode == LEVEE_SFU_ADD)
        op.y_type = dice.pick({LEVEE_TYPE_NONE, LEVEE_TYPE_FP16});
    op.out_type = dice.pick({LEVEE_TYPE_INT16, LEVEE_TYPE_FP16, LEVEE_TYPE_FP32});
    for (auto* const stride : {op.x_stride, op.y_stride, op.out_stride}) {
        stride[2] = static_cast<std::int32_t>(4 * op.n);
        stride[1] = stride[2] * op.rows;
        stride[0] = stride[1] * op.outer[1];
    }
    op.out_scale_stride[2] = 4;
    op.out_scale_stride[1] = 4 * op.rows;
    op.out_scale_stride[0] = 4 * op.rows * op.outer[1];
    op.x = arena;
    op.y = arena + 0x20000;
    op.gain = arena + 0x40000;
    op.bias = arena + 0x50000;
    op.out_scale = arena + 0x60000;
    op.out = arena + 0x80000;
    const std::uint64_t zeros = arena + 0xF0000; // address of zeroed tables
    op.positions = zeros;
    if (opcode == LEVEE_SFU_EMBED || opcode == LEVEE_SFU_LOG_PROB || dice.one_in(3))
        op.indices = zeros;
    if (op.indices != 0 && opcode != LEVEE_SFU_EMBED && opcode != LEVEE_SFU_LOG_PROB)
        op.flags = LEVEE_SFU_SCATTER;
    if (opcode == LEVEE_SFU_SOFTMAX)
        op.y_stride[2] = 4;
    return op;
}

/// Returns a valid descriptor for block 0 (DMA), 1 (array) or 2 (function unit).
levee_descriptor good_descriptor(unsigned block, Dice& dice, std::uint64_t arena)
{
    const auto opcode = static_cast<std::uint8_t>(1 + dice.below(block == 0 ? 2 : 13));
    levee_descriptor descriptor = block == 0 ? describe(opcode, good_copy(dice, arena))
                                  : block == 1
                                      ? describe(LEVEE_RSA_GEMM, good_gemm(dice, arena))
                                      : describe(opcode, good_vectors(dice, arena, opcode));
    descriptor.signal_counter[0] = static_cast<std::uint8_t>(dice.below(16));
    descriptor.signal_every[0] = dice.below(4);
    return descriptor;
}

/// Returns a value that often causes errors.
std::uint32_t wicked(Dice& dice)
{
    const std::uint32_t values[] = {
        0,          1,          2,          3,          0x7F,        0x80,
        0xFF,       0x100,      0x7FFF,     0x8000,     0xFFFF,      0x10000,
        0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0xFFFFFFFE, dice.word(), dice.below(4096) * 4};
    return values[dice.below(18)];
}

/// Returns whether the corrupted bytes determine where results go. If so, results may go anywhere
/// in memory.
bool moves_output(unsigned block, std::size_t at, std::size_t size)
{
    using Dma = levee_dma_operation;
    using Rsa = levee_rsa_operation;
    using Sfu = levee_sfu_operation;
    struct Part {
        std::size_t offset, size;
    };
    const Part parts[][4] = {{{offsetof(Dma, destination), 8},
                              {offsetof(Dma, destination_stride), 24},
                              {offsetof(Dma, destination_index), 8},
                              {offsetof(Dma, destination_index_stride), 12}},
                             {{offsetof(Rsa, out), 8}, {offsetof(Rsa, out_stride), 16}, {}, {}},
                             {{offsetof(Sfu, out), 16}, {offsetof(Sfu, out_stride), 24}, {}, {}}};
    static_assert(offsetof(Sfu, out_scale) == offsetof(Sfu, out) + 8 &&
                  offsetof(Sfu, out_scale_stride) == offsetof(Sfu, out_stride) + 12);
    const auto meets = [&](std::size_t offset, std::size_t bytes) {
        return at < offset + bytes && offset < at + size;
    };
    const Part indirect{offsetof(levee_descriptor, indirect), sizeof levee_descriptor{}.indirect};
    return meets(indirect.offset, indirect.size) ||
           std::any_of(std::begin(parts[block]), std::end(parts[block]), [&](const Part& part) {
               return meets(offsetof(levee_descriptor, operation) + part.offset, part.size);
           });
}

/// Limits valid work: with strides of 0, a corrupted descriptor could request hours of it. Loops of
/// the array and the function unit stay below 64 iterations, unless the operation is refused
/// anyway.
void curb_work(unsigned block, levee_descriptor& descriptor)
{
    const auto curb = [&](std::size_t offset) {
        std::uint16_t count = 0;
        std::memcpy(&count, descriptor.operation + offset, sizeof count);
        if (count > 64)
            count = static_cast<std::uint16_t>(count % 64);
        std::memcpy(descriptor.operation + offset, &count, sizeof count);
    };
    if (block == 1)
        for (const std::size_t offset :
             {offsetof(levee_rsa_operation, outer), offsetof(levee_rsa_operation, outer) + 2,
              offsetof(levee_rsa_operation, m1), offsetof(levee_rsa_operation, m0)})
            curb(offset);
    if (block == 2)
        for (const std::size_t offset :
             {offsetof(levee_sfu_operation, outer), offsetof(levee_sfu_operation, outer) + 2,
              offsetof(levee_sfu_operation, rows)})
            curb(offset);
}

} // namespace

TEST_CASE("descriptors of random bytes are refused or harmless")
{
    System system;
    system.run([&] {
        Fuzzer fuzzer(system);
        for (std::uint32_t seed = 0; seed < 6000; ++seed) {
            Dice dice(seed);
            levee_descriptor descriptor{};
            auto* const bytes = reinterpret_cast<std::uint8_t*>(&descriptor);
            for (std::size_t i = 0; i < sizeof descriptor; ++i)
                bytes[i] = static_cast<std::uint8_t>(dice.word());
            if (!dice.one_in(8)) { // Most descriptors pass the first checks.
                descriptor.magic = LEVEE_DESCRIPTOR_MAGIC;
                descriptor.flags = 0;
                descriptor.version = dice.one_in(4) ? LEVEE_DESCRIPTOR_V2 : LEVEE_DESCRIPTOR_V1;
                descriptor.reserved0 = 0;
                descriptor.continuation_bytes =
                    descriptor.version == LEVEE_DESCRIPTOR_V2 && !dice.one_in(4) ? 8 : 0;
                std::memset(descriptor.wait_counter, LEVEE_NO_COUNTER, 4);
                std::memset(descriptor.signal_counter, LEVEE_NO_COUNTER, 2);
                std::memset(descriptor.indirect, 0, sizeof descriptor.indirect);
                descriptor.opcode = static_cast<std::uint8_t>(1 + dice.below(13));
            }
            INFO("seed " << seed);
            fuzzer.run(seed % 3, descriptor);
        }
        CHECK(fuzzer.are_guards_intact());
        CHECK(fuzzer.refused() > 5900);
    });
}

TEST_CASE("valid descriptors complete, and with one corrupted field complete or are refused")
{
    System system;
    system.run([&] {
        Fuzzer fuzzer(system);
        fuzzer.zero_arena();
        std::uint32_t confined = 0;
        for (std::uint32_t seed = 0; seed < 9000; ++seed) {
            Dice dice(seed);
            const unsigned block = seed % 3;
            levee_descriptor descriptor = good_descriptor(block, dice, fuzzer.arena());
            INFO("seed " << seed);
            if (seed < 600) {
                fuzzer.run(block, descriptor);
                CHECK(fuzzer.refused() == 0);
                continue;
            }
            // The field is aligned and has 1, 2, 4 or 8 bytes.
            const std::size_t size = std::size_t{1} << dice.below(4);
            const std::size_t at = size * dice.below(static_cast<std::uint32_t>(256 / size));
            const std::uint64_t value = wicked(dice) | (std::uint64_t{wicked(dice)} << 32);
            std::memcpy(reinterpret_cast<std::uint8_t*>(&descriptor) + at, &value, size);
            curb_work(block, descriptor);
            fuzzer.run(block, descriptor);
            if (!moves_output(block, at, size)) {
                CHECK(fuzzer.are_inputs_intact());
                ++confined;
            }
            fuzzer.zero_arena();
        }
        CHECK(confined > 4000);
        CHECK(fuzzer.done() > 3000);
        CHECK(fuzzer.refused() > 1000);
    });
}

TEST_CASE("random shapes, strides and addresses near the tensors never reach beyond them")
{
    System system;
    system.run([&] {
        Fuzzer fuzzer(system);
        for (std::uint32_t seed = 0; seed < 3000; ++seed) {
            Dice dice(seed);
            // Only the checks in the block keep these runs inside the arena. The memory ends right
            // after the guard area, so most random strides are refused.
            levee_dma_operation op = good_copy(dice, fuzzer.arena());
            op.destination = memory_base + memory_bytes - 1 - dice.below(4096);
            op.destination_stride[dice.below(3)] =
                static_cast<std::int32_t>(dice.below(8192)) - 4096;
            INFO("seed " << seed);
            fuzzer.run(0, describe(LEVEE_DMA_FILL, op));
        }
        CHECK(fuzzer.are_guards_intact());
        CHECK(fuzzer.refused() > 1000);
    });
}
