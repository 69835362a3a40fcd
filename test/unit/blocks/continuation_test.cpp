// SPDX-License-Identifier: Apache-2.0
// Tests descriptors of version 2, whose operations continue at another address.
#include "core/numerics/numerics.hpp"
#include "test/unit/blocks/two_engines.hpp"

#include <numeric>

namespace {

using namespace levee;
using namespace levee::test;

constexpr std::size_t inline_words = 40, more_words = 20;

struct SumOperation {
    std::uint64_t out;
    std::uint32_t words[inline_words];
    std::uint32_t more[more_words];
};
static_assert(offsetof(SumOperation, more) == LEVEE_DESCRIPTOR_INLINE_BYTES);

constexpr std::uint32_t poison = 0xDEAD;
constexpr Field sum_fields[] = {LEVEE_FIELD(SumOperation, out), LEVEE_FIELD(SumOperation, words),
                                LEVEE_FIELD(SumOperation, more)};
constexpr Opcode sum_opcodes[] = {{1, "SUM"}};
constexpr Declaration sum_declaration{.type = "sum",
                                      .number = 99,
                                      .operation_bytes = sizeof(SumOperation),
                                      .opcodes = sum_opcodes,
                                      .fields = sum_fields};

/// A block that adds the words of its operation. None of them may be poison.
class Summer : public Executor {
public:
    explicit Summer(Fabric fabric) : queue("summer", queue_config, sum_declaration, *this, fabric)
    {
    }
    CommandQueue queue;

private:
    void prepare(const levee_descriptor&, Operation& operation) override
    {
        SumOperation op;
        REQUIRE(queue.operation().size() == sizeof op);
        std::memcpy(&op, queue.operation().data(), sizeof op);
        for (std::size_t i = 0; i < more_words; ++i)
            need_field(op.more[i] != poison, LEVEE_ERROR_FIELD,
                       offsetof(SumOperation, more) + sizeof op.more[0] * i);
        const std::uint32_t sum = std::accumulate(std::begin(op.words), std::end(op.words), 0u) +
                                  std::accumulate(std::begin(op.more), std::end(op.more), 0u);
        AccessPattern pattern;
        pattern.address = op.out;
        pattern.run_bytes = sizeof sum;
        queue.add_stream(operation, Direction::Write, pattern, sizeof sum,
                         operation_field(offsetof(SumOperation, out)));
        operation.commit = [this, pattern, sum](std::uint32_t, std::uint32_t) {
            queue.write(pattern, &sum);
        };
    }
};

struct System : Bench {
    Summer summer{fabric};
    dma::Dma engine{"engine", {Clock{1'000'000'000}, 64, queue_config}, fabric};
    System() : Bench("bench")
    {
        connect(summer.queue);
        connect(engine.queue);
    }

    /// Returns a descriptor of `operation` whose continuation is written to `at`.
    levee_descriptor descriptor(const SumOperation& operation, std::uint64_t at)
    {
        levee_descriptor descriptor = describe(1, std::uint8_t{0}, 0x7A6);
        descriptor.version = LEVEE_DESCRIPTOR_V2;
        std::memcpy(descriptor.operation, &operation, LEVEE_DESCRIPTOR_INLINE_BYTES);
        std::memcpy(descriptor.operation + LEVEE_DESCRIPTOR_INLINE_BYTES, &at, sizeof at);
        descriptor.continuation_bytes = sizeof operation.more;
        std::memcpy(this->at(at), operation.more, sizeof operation.more);
        return descriptor;
    }
    std::uint32_t word(std::uint64_t address)
    {
        std::uint32_t word = 0;
        std::memcpy(&word, at(address), sizeof word);
        return word;
    }
    std::uint32_t error(unsigned block, const levee_descriptor& bad)
    {
        submit(block, {bad});
        CHECK(settle(block));
        const std::uint32_t code = reg(block, LEVEE_CMD_ERROR_CODE);
        field = reg(block, LEVEE_CMD_ERROR_FIELD);
        set_reg(block, LEVEE_CMD_CONTROL, LEVEE_CMD_CONTROL_RESET);
        return code;
    }
    std::uint32_t field = 0; ///< The field that the last error names.
};

SumOperation numbers(std::uint64_t out)
{
    SumOperation operation{};
    operation.out = out;
    std::iota(std::begin(operation.words), std::end(operation.words), 1u);
    std::iota(std::begin(operation.more), std::end(operation.more), 1001u);
    return operation;
}

constexpr std::uint32_t sum_of_numbers = 40 * 41 / 2 + 20 * 1000 + 20 * 21 / 2;

void set_continuation(levee_descriptor& descriptor, std::uint64_t address)
{
    std::memcpy(descriptor.operation + LEVEE_DESCRIPTOR_INLINE_BYTES, &address, sizeof address);
}

/// A malformed descriptor and the error that its queue must report.
struct Spoilt {
    std::uint32_t code, field;
    std::function<void(levee_descriptor&)> spoil;
};

/// Returns faulty variants of a descriptor whose operation continues at `rest`. In the last one the
/// continuation is faulty.
std::vector<Spoilt> spoilt_continuations(System& system, std::uint64_t rest)
{
    const auto at = [](std::uint64_t address) {
        return [address](levee_descriptor& d) { set_continuation(d, address); };
    };
    const auto bytes = [](std::uint32_t count) {
        return [count](levee_descriptor& d) { d.continuation_bytes = count; };
    };
    const std::uint32_t address = LEVEE_DESCRIPTOR_CONTINUATION_AT;
    const std::uint32_t length = offsetof(levee_descriptor, continuation_bytes);
    return {
        {LEVEE_ERROR_ADDRESS, address, at(0)},
        {LEVEE_ERROR_ADDRESS, address, at(64)}, // This address is not mapped.
        {LEVEE_ERROR_ADDRESS, address, at(rest + 4)},
        {LEVEE_ERROR_ADDRESS, address, at(memory_base + memory_bytes - 72)},
        {LEVEE_ERROR_ADDRESS, address, at(LEVEE_STREAM(0))},
        {LEVEE_ERROR_FIELD, length, bytes(0)},
        {LEVEE_ERROR_FIELD, length, bytes(76)},
        {LEVEE_ERROR_FIELD, length, bytes(88)},
        {LEVEE_ERROR_FIELD, length, bytes(0xFFFFFFF8)},
        {LEVEE_ERROR_VERSION, offsetof(levee_descriptor, version),
         [](levee_descriptor& d) { // The size does not cover the whole operation.
             d.version = LEVEE_DESCRIPTOR_V1;
             d.continuation_bytes = 0;
         }},
        {LEVEE_ERROR_FIELD, LEVEE_DESCRIPTOR_BYTES + 12,
         [&system, rest](levee_descriptor&) { std::memcpy(system.at(rest + 12), &poison, 4); }},
    };
}

} // namespace

TEST_CASE("an operation continues at another address, which takes one more fetch")
{
    System system;
    system.run([&] {
        const std::uint64_t out = system.take(64), rest = system.take(256);
        const levee_descriptor first = system.descriptor(numbers(out), rest);
        const auto time = [&](unsigned block, levee_descriptor descriptor) {
            signal(descriptor, 0, static_cast<std::uint8_t>(block), 1);
            const std::uint32_t before = system.sync.value(block);
            system.submit(block, {descriptor});
            const Picoseconds begun = now_ps();
            while (system.sync.value(block) == before)
                sc_core::wait(system.sync.changed(block));
            return now_ps() - begun;
        };
        const Picoseconds whole = time(1, fill(out, 0x5A, 1, 4)), continued = time(0, first);
        CHECK(system.word(out) == sum_of_numbers);
        CHECK(continued <= whole + fetch);
        CHECK(continued > whole + fetch - 1'000); // The engine itself takes one cycle.
        system.submit(0, {first, first});
        CHECK(system.settle(0));
        CHECK(system.reg(0, LEVEE_CMD_DONE_COUNT) == 3);
    });
}

TEST_CASE("an invalid continuation is refused with its field")
{
    System system;
    system.run([&] {
        const std::uint64_t out = system.take(64), rest = system.take(256);
        const levee_descriptor good = system.descriptor(numbers(out), rest);
        for (const Spoilt& spoilt : spoilt_continuations(system, rest)) {
            levee_descriptor bad = good;
            spoilt.spoil(bad);
            CHECK(system.error(0, bad) == spoilt.code);
            CHECK(system.field == spoilt.field);
            CHECK(system.word(out) == 0);
        }
    });
}

TEST_CASE("an indirect operand may change the continuation, but not its address or bytes beyond it")
{
    System system;
    system.run([&] {
        const std::uint64_t out = system.take(64), rest = system.take(256), source = system.take(8);
        const std::uint32_t five = 5;
        std::memcpy(system.at(source), &five, sizeof five);
        const auto indirect = [&](std::uint16_t field, std::uint16_t bytes) {
            levee_descriptor descriptor = system.descriptor(numbers(out), rest);
            descriptor.indirect[1] = {source, 100, field, bytes};
            return descriptor;
        };
        for (const std::uint16_t field : {240, 256, 332}) {
            system.submit(0, {indirect(field, 4)});
            CHECK(system.settle(0));
            CHECK(system.word(out) == sum_of_numbers + 500);
        }
        const std::uint32_t at = offsetof(levee_descriptor, indirect) + sizeof(levee_indirect);
        for (const auto& [field, bytes] :
             {std::pair{244, 8}, {248, 8}, {252, 4}, {336, 4}, {332, 8}}) {
            CHECK(system.error(0, indirect(static_cast<std::uint16_t>(field),
                                           static_cast<std::uint16_t>(bytes))) ==
                  LEVEE_ERROR_FIELD);
            CHECK(system.field == at);
        }
    });
}

TEST_CASE("an operation that fits in the descriptor may be of either version")
{
    System system;
    system.run([&] {
        const std::uint64_t to = system.take(64);
        levee_descriptor descriptor = fill(to, 0x5A);
        descriptor.version = LEVEE_DESCRIPTOR_V2;
        system.submit(1, {descriptor});
        CHECK(system.settle(1));
        CHECK(system.reg(1, LEVEE_CMD_ERROR_CODE) == LEVEE_ERROR_NONE);
        CHECK(*system.at(to) == 0x5A);
        set_continuation(descriptor, to);
        CHECK(system.error(1, descriptor) == LEVEE_ERROR_ADDRESS);
        CHECK(system.field == LEVEE_DESCRIPTOR_CONTINUATION_AT);
    });
}

TEST_CASE("random continuations are refused or read")
{
    System system;
    system.run([&] {
        const std::uint64_t out = system.take(64), rest = system.take(4096);
        std::uint32_t done = 0, refused = 0;
        for (std::uint32_t seed = 0; seed < 3000; ++seed) {
            std::uint64_t drawn = 0;
            const auto word = [&] { return random_word(seed, 7, drawn++); };
            const auto one_in = [&](std::uint32_t n) { return word() % n == 0; };
            levee_descriptor descriptor = system.descriptor(numbers(out), rest);
            if (one_in(2))
                set_continuation(descriptor, rest + word() % 4096);
            else if (one_in(2))
                set_continuation(descriptor, (std::uint64_t{word()} << 32) | word());
            if (one_in(4))
                descriptor.continuation_bytes = one_in(2) ? word() : word() % 256;
            INFO("seed " << seed);
            const std::uint32_t code = system.error(0, descriptor);
            const bool is_known = code == LEVEE_ERROR_NONE || code == LEVEE_ERROR_ADDRESS ||
                                  code == LEVEE_ERROR_FIELD;
            CHECK(is_known);
            ++(code == LEVEE_ERROR_NONE ? done : refused);
        }
        CHECK(done > 500);
        CHECK(refused > 500);
    });
}
