// SPDX-License-Identifier: Apache-2.0
// Tests modules that speak the plain TLM-2.0 base protocol in a Levee system.
#include "core/flow/base_protocol.hpp"
#include "ip/dma/module.hpp"
#include "test/support/foreign/initiators.hpp"
#include "test/support/foreign/memories.hpp"
#include "test/unit/blocks/bench.hpp"

#include <catch2/catch.hpp>

#include <numeric>
#include <optional>

namespace {

using namespace levee;
using namespace levee::test;
using sc_core::sc_time;

constexpr std::uint64_t foreign_base = 0x60'0000'0000, foreign_bytes = 0x10000;
constexpr unsigned foreign_target = 3; // The number follows memory, sync unit and one block.

sc_time ns(double count)
{
    return {count, sc_core::SC_NS};
}

template <typename From, typename To>
concept Binds = requires(From& from, To& to)
{
    from.bind(to);
};

using BaseInitiator = tlm::tlm_initiator_socket<>;
using BaseTarget = tlm::tlm_target_socket<>;
static_assert(Binds<BaseInitiator, BaseTarget> && Binds<InitiatorSocket, TargetSocket>);
static_assert(Binds<BaseInitiator, decltype(FromBaseProtocol<>::port)>);
static_assert(Binds<decltype(ToBaseProtocol<>::memory), BaseTarget>);
static_assert(Binds<InitiatorSocket, decltype(bus::Bus::initiators)>);
// A socket through which accesses would have no effect must not be bound.
static_assert(!Binds<InitiatorSocket, BaseTarget> && !Binds<BaseInitiator, TargetSocket>);
static_assert(!Binds<decltype(bus::Bus::targets), BaseTarget>);
static_assert(!Binds<BaseInitiator, decltype(bus::Bus::initiators)>);

struct System : Bench {
    std::optional<dma::Dma> dma;

    explicit System(DataMode data = DataMode::Functional) : Bench("bench")
    {
        fabric.data = data;
        connect(
            dma.emplace("dma", dma::Config{Clock{1'000'000'000}, 16, queue_config}, fabric).queue);
    }

    template <typename Memory>
    void connect_target(BaseTargetBorder& border, decltype(ToBaseProtocol<>::memory)& socket,
                        Memory& its_memory)
    {
        socket.bind(its_memory.socket);
        bus.targets.bind(border.port);
        bus.map({"foreign", foreign_base, foreign_bytes, foreign_target, 0});
    }

    /// Copies `runs` runs of `run_bytes` and returns the time from the doorbell to the completion
    /// signal.
    Picoseconds copy(std::uint64_t from, std::uint64_t to, std::uint32_t run_bytes,
                     std::uint32_t runs = 1, std::int64_t from_stride = 0,
                     std::int64_t to_stride = 0)
    {
        levee_dma_operation operation{};
        operation.source = from;
        operation.destination = to;
        operation.run_bytes = run_bytes;
        operation.count[0] = operation.count[1] = 1;
        operation.count[2] = runs;
        operation.source_stride[2] = from_stride;
        operation.destination_stride[2] = to_stride;
        levee_descriptor descriptor = describe(LEVEE_DMA_COPY, operation);
        descriptor.signal_counter[0] = 0;
        descriptor.signal_add[0] = 1;
        const std::uint32_t before = sync.value(0);
        const Picoseconds begun = now_ps();
        submit(0, {descriptor});
        while (sync.value(0) == before)
            sc_core::wait(1, sc_core::SC_NS);
        CHECK(reg(0, LEVEE_CMD_ERROR_CODE) == LEVEE_ERROR_NONE);
        return now_ps() - begun;
    }
};

std::vector<std::uint8_t> pattern_of(std::size_t bytes)
{
    std::vector<std::uint8_t> values(bytes);
    std::iota(values.begin(), values.end(), std::uint8_t{7});
    return values;
}

} // namespace

TEST_CASE("a foreign initiator of the loosely timed style reaches every target", "[foreign]")
{
    System system;
    foreign::LtInitiator<64> initiator("initiator");
    FromBaseProtocol<64> border("border");
    initiator.socket.bind(border.port);
    border.bus.bind(system.bus.initiators);
    initiator.program = [&](auto& self) {
        std::uint64_t out = 0x0123'4567'89AB'CDEF, in = 0;
        CHECK(self.access(tlm::TLM_WRITE_COMMAND, memory_base + 24, &out, 8) ==
              tlm::TLM_OK_RESPONSE);
        const sc_time one_access = self.last_delay;
        CHECK(one_access.value() == hop + memory_latency);
        CHECK(self.access(tlm::TLM_READ_COMMAND, memory_base + 24, &in, 8) == tlm::TLM_OK_RESPONSE);
        CHECK(in == out);
        CHECK(self.last_delay == one_access);
        CHECK(self.access(tlm::TLM_READ_COMMAND, 0x666, &in, 4) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
        std::uint32_t ticks = 3; // This value is written to a register.
        CHECK(self.access(tlm::TLM_WRITE_COMMAND, sync_base + LEVEE_SYNC_VALUE(1), &ticks, 4) ==
              tlm::TLM_OK_RESPONSE);
        CHECK(system.sync.value(1) == 3);
        in = 0;
        CHECK(self.debug(tlm::TLM_READ_COMMAND, memory_base + 24, &in, 8) == 8);
        CHECK(in == out);
        // TLM's ignore command changes nothing and does not count as an access.
        const std::uint64_t writes = figure(system.memory, "write_bytes");
        CHECK(self.access(tlm::TLM_IGNORE_COMMAND, memory_base + 24, &in, 8) ==
              tlm::TLM_OK_RESPONSE);
        CHECK(figure(system.memory, "write_bytes") == writes);
        tlm::tlm_dmi dmi;
        CHECK_FALSE(self.direct(memory_base, dmi)); // This memory grants no direct access.
    };
    system.run([] {});
    CHECK(initiator.finished);
}

TEST_CASE("a foreign initiator of the approximately timed style gets responses in order",
          "[foreign]")
{
    System system;
    foreign::AtInitiator initiator("initiator");
    FromBaseProtocol<> border("border");
    initiator.socket.bind(border.port);
    border.bus.bind(system.bus.initiators);
    initiator.response_accept = ns(5);
    for (std::uint32_t i = 0; i < 4; ++i)
        initiator.accesses.push_back({tlm::TLM_WRITE_COMMAND, memory_base + 4 * i, 100 + i});
    for (std::uint32_t i = 0; i < 4; ++i)
        initiator.accesses.push_back({tlm::TLM_READ_COMMAND, memory_base + 4 * i, 0});
    initiator.accesses.push_back({tlm::TLM_READ_COMMAND, 0x666, 0});
    system.run([] {});

    CHECK(initiator.faults == 0);
    CHECK(initiator.freed == 9);
    REQUIRE(initiator.responses.size() == 9);
    for (std::uint32_t i = 0; i < 8; ++i)
        CHECK(initiator.accesses[i].status == tlm::TLM_OK_RESPONSE);
    for (std::uint32_t i = 0; i < 4; ++i)
        CHECK(initiator.accesses[4 + i].word == 100 + i);
    CHECK(initiator.accesses[8].status == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    // The error response comes at once. The responses of the other accesses follow one after
    // another.
    CHECK(initiator.responses == std::vector<std::size_t>{8, 0, 1, 2, 3, 4, 5, 6, 7});
    const foreign::AtAccess& first = initiator.accesses[0];
    CHECK(first.accepted == first.requested);
    CHECK(first.responded == first.requested + ns(5));
    CHECK(initiator.accesses[1].responded == first.responded + ns(5));
}

namespace {

/// The data that a block wrote to a foreign memory and read back, and the times of both.
struct Taken {
    Picoseconds out, back;
};

template <typename Memory>
Taken copies(System& system, Memory& memory, std::uint32_t burst, DataMode data)
{
    ToBaseProtocol<> border("border", {foreign_bytes, burst, false, data, {}});
    system.connect_target(border, border.memory, memory);
    const std::vector<std::uint8_t> values = pattern_of(1000);
    Taken taken{};
    system.run([&] {
        const std::uint64_t from = system.put(values), to = system.take(4000);
        taken.out = system.copy(from, foreign_base + 0x1003, 1000);
        taken.back = system.copy(foreign_base + 0x1003, to, 1000);
        if (data == DataMode::TimingOnly)
            return;
        CHECK(std::equal(values.begin(), values.end(), memory.cells.bytes.begin() + 0x1003));
        CHECK(system.get<std::uint8_t>(to, 1000) == values);
        // Copies rows at a stride to the foreign memory, and back in descending order.
        system.copy(from, foreign_base + 0x4000, 10, 100, 10, 24);
        system.copy(foreign_base + 0x4000 + 99 * 24, to, 10, 100, -24, 10);
        const auto back = system.get<std::uint8_t>(to, 1000);
        bool same = true;
        for (std::size_t i = 0; i < 1000; ++i)
            same &= back[i] == values[(99 - i / 10) * 10 + i % 10];
        CHECK(same);
        // Software on the core reads the block's data through the bus.
        std::uint32_t word = 0;
        CHECK(system.access(tlm::TLM_READ_COMMAND, foreign_base + 0x1003, &word, 4) ==
              tlm::TLM_OK_RESPONSE);
        CHECK(std::memcmp(&word, values.data(), 4) == 0);
        CHECK(system.access(tlm::TLM_READ_COMMAND, foreign_base + foreign_bytes, &word, 4) ==
              tlm::TLM_ADDRESS_ERROR_RESPONSE);
    });
    return taken;
}

// 1000 bytes, starting 3 bytes after the start of a burst, take this many bursts of 64 bytes.
constexpr unsigned bursts = 16;

} // namespace

TEST_CASE("blocks use a foreign memory of the loosely timed style", "[foreign]")
{
    System system;
    foreign::LtMemory<> memory("foreign", foreign_bytes, 64, ns(100));
    const Taken taken = copies(system, memory, 64, DataMode::Functional);
    CHECK(taken.out > bursts * 100'000);
    // The remaining time is for the fetch, the other memory and polling.
    CHECK(taken.out < bursts * 100'000 + 150'000);
    CHECK(taken.back > bursts * 100'000);
    CHECK(taken.back < bursts * 100'000 + 150'000);
    for (const unsigned length : memory.cells.lengths)
        CHECK(length <= 64);
}

TEST_CASE("blocks use a foreign memory of the approximately timed style", "[foreign]")
{
    System system;
    foreign::AtMemory memory("foreign", foreign_bytes, 8, ns(10), ns(30));
    const Taken taken = copies(system, memory, 8, DataMode::Functional);
    const Picoseconds all = 126 * 40'000; // 126 transactions of 8 bytes
    CHECK(taken.out > all);
    CHECK(taken.out < all + 150'000);
    CHECK(taken.back > all);
    CHECK(taken.back < all + 150'000);
}

TEST_CASE("timing-only runs take a foreign memory's time without its transactions", "[foreign]")
{
    System system(DataMode::TimingOnly);
    foreign::LtMemory<> memory("foreign", foreign_bytes, 64, ns(100));
    const Taken taken = copies(system, memory, 64, DataMode::TimingOnly);
    CHECK(memory.cells.lengths == std::vector<unsigned>{64, 64}); // Each copy causes one burst.
    const Picoseconds all = 100'000 * 1000 / 64;
    CHECK(taken.out > all);
    CHECK(taken.out < all + 150'000);
    CHECK(taken.back > all);
    CHECK(taken.back < all + 150'000);
}

TEST_CASE("a foreign initiator uses a foreign memory through Levee's bus", "[foreign]")
{
    System system;
    foreign::AtInitiator initiator("initiator");
    FromBaseProtocol<> in("in");
    initiator.socket.bind(in.port);
    in.bus.bind(system.bus.initiators);
    foreign::AtMemory memory("foreign", foreign_bytes, 8, ns(10), ns(30));
    ToBaseProtocol<> out("out", {foreign_bytes, 8, false, DataMode::Functional, {}});
    system.connect_target(out, out.memory, memory);
    initiator.accesses.push_back({tlm::TLM_WRITE_COMMAND, foreign_base + 8, 42});
    initiator.accesses.push_back({tlm::TLM_READ_COMMAND, foreign_base + 8, 0});
    system.run([] {});
    CHECK(initiator.accesses[1].word == 42);
    CHECK(initiator.accesses[1].status == tlm::TLM_OK_RESPONSE);
    CHECK(initiator.accesses[0].responded - initiator.accesses[0].requested ==
          ns(41)); // The time is the bus's hop, the acceptance and the latency.
    CHECK(initiator.faults == 0);
}

namespace {

/// A memory that accepts only words, behind an adapter that is configured for 64 bytes.
struct Refusing : System {
    foreign::LtMemory<> words{"foreign", foreign_bytes, 4, ns(100)};
    ToBaseProtocol<> border{"border", {foreign_bytes, 64, false, DataMode::Functional, {}}};

    Refusing() { connect_target(border, border.memory, words); }
    std::uint32_t copy_256(std::uint64_t from, std::uint64_t to)
    {
        levee_dma_operation operation{};
        operation.source = from;
        operation.destination = to;
        operation.run_bytes = 256;
        operation.count[0] = operation.count[1] = operation.count[2] = 1;
        return execute(0, describe(LEVEE_DMA_COPY, operation));
    }
};

} // namespace

TEST_CASE("a read that a foreign target refuses is an error of the operand's field", "[foreign]")
{
    Refusing system;
    system.run([&] {
        CHECK(system.copy_256(foreign_base, system.take(256)) == LEVEE_ERROR_ADDRESS);
        CHECK(system.reg(0, LEVEE_CMD_ERROR_FIELD) ==
              operation_field(offsetof(levee_dma_operation, source)));
    });
}

TEST_CASE("a write that a foreign target refuses ends the run with a message", "[foreign]")
{
    Refusing system;
    CHECK_THROWS_WITH(
        system.run([&] { system.copy_256(system.take(256), foreign_base); }),
        Catch::Matchers::Contains("TLM_BURST_ERROR_RESPONSE to a write of 256 bytes at 0x0"));
}

TEST_CASE("an adapter for a target without bytes is refused", "[foreign]")
{
    CHECK_THROWS_WITH(ToBaseProtocol<>("border", {0, 64, false, DataMode::Functional, {}}),
                      Catch::Matchers::Contains("the target has 0 bytes"));
}
