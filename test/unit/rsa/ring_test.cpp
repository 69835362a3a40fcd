// SPDX-License-Identifier: Apache-2.0
// Tests operands in another memory that pass through a ring buffer on chip.
#include "core/numerics/tensor.hpp"
#include "ip/rsa/module.hpp"
#include "test/unit/rsa/more_memory.hpp"

#include <algorithm>
#include <cstddef>

namespace {

using namespace levee;
using namespace levee::test;

using Op = levee_rsa_operation;
constexpr std::uint64_t slow = 4'000'000'000; // bandwidth of the second memory in bytes per second

struct System : Bench {
    rsa::Rsa rsa;
    MoreMemory more{"more", slow, 5'000};
    Asked asked;

    System()
        : Bench("bench", {}, 256'000'000'000),
          rsa("rsa", {Clock{1'000'000'000}, {32, 32, 128, 1024, true}, false, queue_config}, fabric)
    {
        connect(rsa.queue);
        levee::test::connect(*this, more, 1);
        rsa.queue.observe(asked);
    }
    void set_ring(unsigned number, std::uint64_t address, std::uint32_t bytes)
    {
        set_reg(0, LEVEE_RSA_RING_LO(number), static_cast<std::uint32_t>(address));
        set_reg(0, LEVEE_RSA_RING_HI(number), static_cast<std::uint32_t>(address >> 32));
        set_reg(0, LEVEE_RSA_RING_BYTES(number), bytes);
    }
    /// Returns a product of 64 x 64 zeros of `type`.
    Op square(std::uint8_t type)
    {
        Op op{};
        op.outer[0] = op.outer[1] = op.m1 = op.m0 = 1;
        op.k = op.n = 64;
        op.a_type = LEVEE_TYPE_INT16;
        op.b_type = type;
        op.alpha = 1.0f;
        op.b_stride[2] = static_cast<std::int32_t>(bytes_of(64, type));
        op.a = take(128);
        op.b = take(64 * bytes_of(64, type));
        op.out = take(256);
        return op;
    }
    std::uint32_t run_one(const Op& op)
    {
        more.streamed[0] = more.streamed[1] = 0;
        const std::uint32_t error = execute(0, describe(LEVEE_RSA_GEMM, op));
        if (error != LEVEE_ERROR_NONE) {
            CHECK(reg(0, LEVEE_CMD_ERROR_FIELD) == operation_field(offsetof(Op, b_type)));
            set_reg(0, LEVEE_CMD_CONTROL, LEVEE_CMD_CONTROL_RESET);
        }
        return error;
    }
    /// Returns the bytes written to the second memory and read from it.
    std::pair<std::uint64_t, std::uint64_t> passed() const
    {
        return {more.streamed[1], more.streamed[0]};
    }
};

using Pair = std::pair<std::uint64_t, std::uint64_t>;

} // namespace

TEST_CASE("weights pass through ring 0, keys and values through ring 1, at the ring's pace")
{
    System system;
    system.run([&] {
        const Op weights = system.square(LEVEE_TYPE_INT8);
        const Op keys = system.square(LEVEE_TYPE_INT16);
        CHECK(system.run_one(weights) == LEVEE_ERROR_NONE);
        CHECK(system.passed() == Pair{0, 0});
        const auto before = system.asked.uses;
        const Picoseconds fast = system.asked.took;

        system.set_ring(0, more_base + 128, 1024);
        CHECK(system.reg(0, LEVEE_RSA_RING_LO(0)) == ((more_base + 128) & 0xFFFFFFFF));
        CHECK(system.reg(0, LEVEE_RSA_RING_HI(0)) == more_base >> 32);
        CHECK(system.reg(0, LEVEE_RSA_RING_BYTES(0)) == 1024);
        CHECK(system.run_one(weights) == LEVEE_ERROR_NONE);
        CHECK(system.passed() == Pair{4096, 4096});
        // Each stream passes a link and a memory.
        CHECK(system.asked.uses.size() == before.size() + 4);
        // 8 KiB take their time at 4 bytes per ns, and the ring's latency instead of the memory's.
        CHECK(system.asked.took == 8192 / 4 * 1000 + hop + 5'000);
        CHECK(fast < system.asked.took / 4);
        CHECK(system.more.account.empty()); // Only traffic is counted, no data are moved.

        CHECK(system.run_one(keys) == LEVEE_ERROR_NONE);
        CHECK(system.passed() == Pair{0, 0});
        system.set_ring(0, 0, 0);
        CHECK(system.run_one(weights) == LEVEE_ERROR_NONE);
        CHECK(system.asked.uses == before);
        CHECK(system.asked.took == fast);

        system.set_ring(1, more_base, 16384); // The ring is larger than its data.
        CHECK(system.run_one(weights) == LEVEE_ERROR_NONE);
        CHECK(system.passed() == Pair{0, 0});
        CHECK(system.run_one(keys) == LEVEE_ERROR_NONE);
        CHECK(system.passed() == Pair{8192, 8192});
    });
}

TEST_CASE("keys and values of 8 and 4 bits pass through ring 1 if the descriptor says so")
{
    System system;
    system.run([&] {
        system.set_ring(0, more_base, 1024);
        for (const auto& [type, bytes] :
             {std::pair{LEVEE_TYPE_INT8, 4096u}, {LEVEE_TYPE_INT4, 2048u}}) {
            Op keys = system.square(type);
            keys.flags |= LEVEE_RSA_RING_1;
            CHECK(system.run_one(keys) == LEVEE_ERROR_NONE);
            CHECK(system.passed() == Pair{0, 0});
            system.set_ring(1, more_base, 1024);
            CHECK(system.run_one(keys) == LEVEE_ERROR_NONE);
            CHECK(system.passed() == Pair{bytes, bytes});
            system.set_ring(1, 0, 0);
        }
    });
}

TEST_CASE("nothing passes through a ring from the ring's own memory")
{
    System system;
    system.run([&] {
        Op op = system.square(LEVEE_TYPE_INT8);
        system.set_ring(0, system.take(512), 512);
        const std::uint64_t before = figure(system.memory, "write_bytes");
        const std::uint64_t at = system.put(std::vector{describe(LEVEE_RSA_GEMM, op)});
        system.submit_at(0, at, 1);
        CHECK(system.settle(0));
        CHECK(figure(system.memory, "write_bytes") - before == 256);

        // If an operand is in two memories, only its rows in the other memory pass through the
        // ring.
        op.b = more_base;
        levee_rsa_redirect redirect{};
        std::vector<std::uint32_t> words(64, LEVEE_RSA_ROW_HERE);
        std::fill_n(words.begin(), 24, 3u);
        redirect.table = system.put(words);
        redirect.base = system.take(64 * 64);
        redirect.base_stride[2] = 64;
        op.redirect = system.put(std::vector{redirect});
        system.set_ring(0, more_base + 65536, 512);
        CHECK(system.run_one(op) == LEVEE_ERROR_NONE);
        CHECK(system.passed() == Pair{24 * 64, 24 * 64 + 40 * 64});
    });
}

TEST_CASE("in a ring of two parts, half of the data passes through each part")
{
    System system;
    const auto written = [&] {
        const auto& all = system.asked.streams;
        const auto into = std::find_if(all.begin(), all.end(), [&](const FlowUse& use) {
            return use.direction == Direction::Write && use.resource == &system.more;
        });
        REQUIRE(into != all.end());
        return into->pattern;
    };
    system.run([&] {
        const Op weights = system.square(LEVEE_TYPE_INT8);
        system.set_ring(0, more_base, 3000);
        CHECK(system.run_one(weights) == LEVEE_ERROR_NONE);
        CHECK(written().runs() == 1);
        CHECK(written().run_bytes == 3000);
        system.set_reg(0, LEVEE_RSA_RING_STRIDE(0), 8192);
        CHECK(system.reg(0, LEVEE_RSA_RING_STRIDE(0)) == 8192);
        CHECK(system.run_one(weights) == LEVEE_ERROR_NONE);
        CHECK(system.passed() == Pair{4096, 4096});
        CHECK(written().runs() == 2);
        CHECK(written().run_bytes == 2048);
        CHECK(written().extent()->last - written().extent()->first == 8192 + 2047);
        system.set_reg(0, LEVEE_RSA_RING_STRIDE(0), 0x7000'0000); // The second half is beyond the
                                                                  // memory.
        CHECK(system.run_one(weights) == LEVEE_ERROR_ADDRESS);
    });
}

TEST_CASE("a ring outside a single memory stops the next operation of its type")
{
    System system;
    system.run([&] {
        const Op weights = system.square(LEVEE_TYPE_INT4);
        const Op keys = system.square(LEVEE_TYPE_INT16);
        const std::uint64_t wrong[] = {0x1234, sync_base, more_base + memory_bytes - 512};
        for (const std::uint64_t address : wrong) {
            system.set_ring(0, address, 1024);
            CHECK(system.run_one(weights) == LEVEE_ERROR_ADDRESS);
            CHECK(system.run_one(weights) == LEVEE_ERROR_ADDRESS);
            CHECK(system.run_one(keys) == LEVEE_ERROR_NONE);
        }
        system.set_ring(0, more_base, 1024);
        CHECK(system.run_one(weights) == LEVEE_ERROR_NONE);
        CHECK(system.passed() == Pair{2048, 2048});
    });
}

TEST_CASE("the array reports its passes of a 16-bit operand with an 8-bit one, and shared reads")
{
    Bench bench("bench");
    const rsa::ArrayShape array{32, 32, 128, 1024, true};
    const rsa::ArrayShape sharing{32, 32, 128, 1024, true, true};
    rsa::Rsa twice{"twice", {Clock{1'000'000'000}, array, false, queue_config}, bench.fabric};
    rsa::Rsa once{"once", {Clock{1'000'000'000}, sharing, true, queue_config}, bench.fabric};
    bench.connect(twice.queue);
    bench.connect(once.queue);
    bench.run([&] {
        CHECK(bench.reg(0, LEVEE_RSA_PASSES) == 2);
        CHECK(bench.reg(1, LEVEE_RSA_PASSES) == 1);
        CHECK(bench.reg(0, LEVEE_RSA_SHARED_ROWS) == 0);
        CHECK(bench.reg(1, LEVEE_RSA_SHARED_ROWS) == 1024);
    });
}
