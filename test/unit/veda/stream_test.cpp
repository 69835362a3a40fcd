// SPDX-License-Identifier: Apache-2.0
// Tests element-serial chains as in VEDA's section IV-B: scores go to softmax through a stream
// port, and its results to the next product.
#include "core/numerics/numerics.hpp"
#include "ip/sfu/module.hpp"
#include "test/unit/veda/veda_system.hpp"

#include <bit>

using namespace levee;
using namespace levee::test;

namespace {

std::vector<StreamPortConfig> ports(std::size_t count)
{
    return std::vector<StreamPortConfig>(count, {"port", 64'000'000'000, 0});
}

/// A producer and a consumer of vectors, and a function unit that reads the tap.
struct Chain {
    VedaSystem& system;
    veda::Veda first, second;
    sfu::Sfu sfu;
    unsigned number; ///< Block number of `first`.
    std::uint64_t port;

    Chain(VedaSystem& machine, const std::string& name, DataMode data, unsigned block,
          std::uint64_t at, std::uint64_t buffer = 0)
        : system(machine), first((name + "_first").c_str(), config(0), fabric_of(machine, data)),
          second((name + "_second").c_str(), config(buffer), fabric_of(machine, data)),
          sfu((name + "_sfu").c_str(), {Clock{1'000'000'000}, 1, 4, queue_config},
              fabric_of(machine, data)),
          number(block), port(at)
    {
        system.connect(first.queue);
        system.connect(second.queue);
        system.connect(sfu.queue);
    }
    static veda::Config config(std::uint64_t buffer)
    {
        return {Clock{1'000'000'000}, paper_arrays, buffer, queue_config};
    }
    static Fabric fabric_of(VedaSystem& machine, DataMode data)
    {
        return {machine.flows, machine.sync, machine.streams, data, {}};
    }

    /// Runs `producer` into `consumer`. Returns the time from the doorbell to the last signal, less
    /// the fetches and the memory's latencies.
    Picoseconds run(levee_veda_operation producer, levee_veda_operation consumer)
    {
        producer.out = consumer.a = LEVEE_STREAM(port);
        levee_descriptor last = describe(LEVEE_VEDA_GEMV, consumer);
        last.signal_counter[0] = 1;
        last.signal_add[0] = 1;
        const std::uint32_t before = system.sync.value(1);
        system.submit(number + 1, {last});
        sc_core::wait(1, sc_core::SC_US);
        system.submit(number, {describe(LEVEE_VEDA_GEMV, producer)});
        const Picoseconds begun = sc_core::sc_time_stamp().value() - hop;
        while (system.sync.value(1) == before)
            sc_core::wait(system.sync.changed(1));
        const Picoseconds ended = sc_core::sc_time_stamp().value();
        CHECK(system.settle(number));
        CHECK(system.reg(number, LEVEE_CMD_ERROR_CODE) == LEVEE_ERROR_NONE);
        CHECK(system.reg(number + 1, LEVEE_CMD_ERROR_CODE) == LEVEE_ERROR_NONE);
        return ended - begun - fetch - 2 * (hop + memory_latency);
    }
};

/// Fills the operands of an operation from plain() with ordinary numbers.
void fill(VedaSystem& system, const levee_veda_operation& op, std::uint32_t seed)
{
    for (std::uint64_t at = op.a; at < op.out; at += 2) {
        const auto value =
            static_cast<std::uint16_t>((random_word(seed, 2, at) & 0x83FF) | 12 << 10);
        std::memcpy(system.at(at), &value, sizeof value);
    }
}

} // namespace

TEST_CASE("softmax on the arrays' stream gives the same bits as through memory")
{
    VedaSystem system;
    sfu::Sfu sfu("sfu", {Clock{1'000'000'000}, 1, 4, queue_config}, system.fabric);
    system.connect(sfu.queue);
    system.run([&] {
        constexpr std::uint32_t tokens = 50, heads = 2;
        levee_veda_operation scores = system.plain(LEVEE_VEDA_INNER, heads, 1, 64, tokens);
        fill(system, scores, 1);
        levee_sfu_operation softmax{};
        softmax.outer[0] = 1;
        softmax.outer[1] = heads;
        softmax.rows = 1;
        softmax.n = tokens;
        softmax.x_type = softmax.out_type = LEVEE_TYPE_FP32;
        softmax.x_stride[1] = softmax.out_stride[1] = 4 * tokens;
        const auto through = [&](std::uint64_t between, bool at_once) {
            scores.out = softmax.x = between;
            scores.out_type = LEVEE_TYPE_FP32;
            scores.out_stride[1] = 4 * tokens;
            softmax.out = system.take(4 * heads * tokens);
            system.submit(0, {describe(LEVEE_VEDA_GEMV, scores)});
            if (!at_once)
                CHECK(system.settle(0));
            system.submit(1, {describe(LEVEE_SFU_SOFTMAX, softmax)});
            CHECK(system.settle(1));
            CHECK(system.reg(0, LEVEE_CMD_ERROR_CODE) == LEVEE_ERROR_NONE);
            CHECK(system.reg(1, LEVEE_CMD_ERROR_CODE) == LEVEE_ERROR_NONE);
            return system.get<std::uint32_t>(softmax.out, heads * tokens);
        };
        const auto by_memory = through(system.take(4 * heads * tokens), false);
        CHECK(through(LEVEE_STREAM(0), true) == by_memory);
        CHECK(by_memory[0] != by_memory[1]);
    });
}

TEST_CASE("vectors from a port are rounded to FP16, and give the same bits as from memory")
{
    VedaSystem system(paper_arrays, 0, 1'024'000'000'000, ports(2));
    Chain chain(system, "chain", DataMode::Functional, 1, 0);
    system.run([&] {
        // Rows have 50 elements. Head 1 sees 30 of them; the producer pads the rest.
        constexpr std::uint32_t heads = 2, vectors = 3, tokens = 50, d = 64;
        const std::uint64_t mark = system.mark();
        for (const unsigned causal : {0u, LEVEE_VEDA_CAUSAL}) {
            system.release(mark);
            levee_veda_operation scores = system.plain(LEVEE_VEDA_INNER, heads, vectors, d, tokens);
            levee_veda_operation mix = system.plain(LEVEE_VEDA_OUTER, heads, vectors, tokens, d);
            fill(system, scores, 1);
            fill(system, mix, 2);
            scores.ragged = LEVEE_VEDA_RAGGED_N;
            mix.ragged = LEVEE_VEDA_RAGGED_K;
            scores.flags |= static_cast<std::uint8_t>(causal);
            mix.flags |= static_cast<std::uint8_t>(causal);
            scores.lengths = mix.lengths = system.put(std::vector<std::uint32_t>{tokens, 30});
            scores.lengths_stride[1] = mix.lengths_stride[1] = 4;
            mix.a = scores.out;
            CHECK(system.execute(0, describe(LEVEE_VEDA_GEMV, scores)) == LEVEE_ERROR_NONE);
            CHECK(system.execute(0, describe(LEVEE_VEDA_GEMV, mix)) == LEVEE_ERROR_NONE);
            const auto by_memory = system.get<std::uint16_t>(mix.out, heads * vectors * d);
            CHECK(by_memory[0] != by_memory[1]);

            scores.out_type = LEVEE_TYPE_FP32;
            mix.out = system.take(2 * heads * vectors * d);
            (void)chain.run(scores, mix);
            CHECK(system.get<std::uint16_t>(mix.out, heads * vectors * d) == by_memory);
        }
    });
}

TEST_CASE("a tap passes on the elements unchanged")
{
    VedaSystem system(paper_arrays, 0, 1'024'000'000'000, ports(2));
    Chain chain(system, "chain", DataMode::Functional, 1, 0);
    system.run([&] {
        constexpr std::uint32_t heads = 2, tokens = 50, d = 64;
        levee_veda_operation scores = system.plain(LEVEE_VEDA_INNER, heads, 1, d, tokens);
        levee_veda_operation mix = system.plain(LEVEE_VEDA_OUTER, heads, 1, tokens, d);
        fill(system, scores, 1);
        fill(system, mix, 2);
        scores.out_type = LEVEE_TYPE_FP32;
        scores.out_stride[1] = 4 * tokens;
        scores.out = system.take(4 * heads * tokens);
        CHECK(system.execute(0, describe(LEVEE_VEDA_GEMV, scores)) == LEVEE_ERROR_NONE);

        levee_sfu_operation function{};
        function.outer[0] = 1;
        function.outer[1] = heads;
        function.rows = 1;
        function.n = tokens;
        function.x_type = function.out_type = LEVEE_TYPE_FP32;
        function.x_stride[1] = function.out_stride[1] = 4 * tokens;
        function.x = scores.out;
        function.out = system.take(4 * heads * tokens);
        system.submit(3, {describe(LEVEE_SFU_SOFTMAX, function)});
        CHECK(system.settle(3));
        const auto by_memory = system.get<std::uint32_t>(function.out, heads * tokens);

        function.x = LEVEE_STREAM(1);
        function.out = system.take(4 * heads * tokens);
        mix.tap = 2;
        system.submit(3, {describe(LEVEE_SFU_SOFTMAX, function)});
        (void)chain.run(scores, mix);
        CHECK(system.settle(3));
        CHECK(system.reg(3, LEVEE_CMD_ERROR_CODE) == LEVEE_ERROR_NONE);
        CHECK(system.get<std::uint32_t>(function.out, heads * tokens) == by_memory);
    });
}

TEST_CASE("a chain takes the longer of its products, and inner mode first waits for its vector")
{
    VedaSystem system(paper_arrays, 0, 1'024'000'000'000, ports(4));
    Chain functional(system, "functional", DataMode::Functional, 1, 0);
    Chain timing_only(system, "timing_only", DataMode::TimingOnly, 4, 2);
    system.run([&] {
        constexpr std::uint32_t tokens = 300, d = 64;
        constexpr Picoseconds cycle = 1000;
        const levee_veda_operation scores = system.plain(LEVEE_VEDA_INNER, 1, 1, d, tokens);
        levee_veda_operation mix = system.plain(LEVEE_VEDA_OUTER, 1, 1, tokens, d);
        for (Chain* const chain : {&functional, &timing_only}) {
            // The producer takes 300 + 9 cycles and the consumer 300 + 2.
            mix.mode = LEVEE_VEDA_OUTER;
            CHECK(chain->run(scores, mix) == 309 * cycle);
            // All 300 elements must arrive first. Then 300 + 9 cycles compare with 64 x 3 + 9.
            mix.mode = LEVEE_VEDA_INNER;
            CHECK(chain->run(scores, mix) == (300 + 309) * cycle);
        }
    });
}

TEST_CASE("a timing-only chain moves no bytes and takes the same time")
{
    VedaSystem system(paper_arrays, 0, 1'024'000'000'000, ports(4));
    Chain functional(system, "functional", DataMode::Functional, 1, 0, 1 << 20);
    Chain timing_only(system, "timing_only", DataMode::TimingOnly, 4, 2, 1 << 20);
    system.run([&] {
        constexpr std::uint32_t heads = 3, vectors = 5;
        const std::uint64_t mark = system.mark();
        for (std::uint32_t draw = 0; draw < 40; ++draw) {
            system.release(mark);
            const std::uint32_t d = 1 + random_word(1, 1, draw) % 200;
            const std::uint32_t tokens = vectors + random_word(1, 2, draw) % 300;
            const auto mode = draw % 2 == 0 ? LEVEE_VEDA_OUTER : LEVEE_VEDA_INNER;
            const levee_veda_operation scores =
                system.plain(LEVEE_VEDA_INNER, heads, vectors, d, tokens);
            levee_veda_operation mix = system.plain(mode, heads, vectors, tokens, d);
            fill(system, scores, draw);
            fill(system, mix, draw + 100);
            mix.ragged = LEVEE_VEDA_RAGGED_K;
            mix.flags |= draw % 3 == 0 ? LEVEE_VEDA_CAUSAL : 0;
            mix.lengths = system.put(std::vector<std::uint32_t>(heads, tokens));
            mix.lengths_stride[1] = 4;
            INFO(d << " wide, " << tokens << " tokens, mode " << mode);
            const auto before = system.get<std::uint16_t>(mix.out, heads * vectors * d);
            const Picoseconds time = timing_only.run(scores, mix);
            CHECK(system.get<std::uint16_t>(mix.out, heads * vectors * d) == before);
            CHECK(functional.run(scores, mix) == time);
            CHECK(system.get<std::uint16_t>(mix.out, heads * vectors * d) != before);
        }
        CHECK(figure(timing_only.second, "macs") == figure(functional.second, "macs"));
        CHECK(figure(timing_only.second, "cycles") == figure(functional.second, "cycles"));
    });
}

TEST_CASE("a shape on which producer and consumer disagree stops both")
{
    VedaSystem system(paper_arrays, 0, 1'024'000'000'000, ports(2));
    Chain chain(system, "chain", DataMode::Functional, 1, 0);
    system.run([&] {
        levee_veda_operation scores = system.plain(LEVEE_VEDA_INNER, 2, 1, 64, 50);
        levee_veda_operation mix = system.plain(LEVEE_VEDA_OUTER, 2, 1, 49, 64);
        scores.out = mix.a = LEVEE_STREAM(0);
        system.submit(chain.number, {describe(LEVEE_VEDA_GEMV, scores)});
        CHECK(system.execute(chain.number + 1, describe(LEVEE_VEDA_GEMV, mix)) ==
              LEVEE_ERROR_STREAM);
        CHECK(system.reg(chain.number + 1, LEVEE_CMD_ERROR_FIELD) ==
              operation_field(offsetof(levee_veda_operation, a)));
        CHECK(system.settle(chain.number));
        CHECK(system.reg(chain.number, LEVEE_CMD_ERROR_CODE) == LEVEE_ERROR_STREAM);
    });
}
