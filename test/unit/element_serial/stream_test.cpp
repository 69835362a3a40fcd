// SPDX-License-Identifier: Apache-2.0
// Tests attention as in VEDA's figure 6. Scores go from the arrays to the reduction, and
// probabilities go to a port as soon as they exist.
#include "ip/veda/module.hpp"
#include "test/unit/element_serial/serial_system.hpp"

using namespace levee;
using namespace levee::test;
using element_serial::Function;

namespace {

constexpr std::uint32_t dimension = 128;
constexpr float scale = 0.08838834764f;

struct AttentionSystem : SerialSystem {
    veda::Veda veda{"veda", {Clock{1'000'000'000}, {2, 8, 8}, 0, queue_config}, fabric};
    element_serial::ElementSerial listener{
        "listener", {Clock{1'000'000'000}, paper_tile, queue_config}, fabric};

    AttentionSystem()
    {
        connect(veda.queue);
        connect(listener.queue);
    }
    void settle_all()
    {
        for (const unsigned block : {0u, 1u, 2u}) {
            CHECK(settle(block));
            CHECK(reg(block, LEVEE_CMD_ERROR_CODE) == LEVEE_ERROR_NONE);
        }
    }
    /// Returns the operation q K^T for `heads` heads over `tokens` cached tokens.
    levee_veda_operation scores(std::uint16_t heads, std::uint32_t tokens, std::uint64_t out)
    {
        levee_veda_operation op{};
        op.outer[0] = op.group = 1;
        op.outer[1] = heads;
        op.m = 1;
        op.k = dimension;
        op.n = tokens;
        op.flags = LEVEE_VEDA_B_TRANSPOSED;
        op.out_type = LEVEE_TYPE_FP32;
        Halves q(heads * dimension), k(heads * dimension * tokens);
        for (std::size_t i = 0; i < q.size(); ++i)
            q[i] = fp32_to_fp16(static_cast<float>(normal(1, i)));
        for (std::size_t i = 0; i < k.size(); ++i)
            k[i] = fp32_to_fp16(static_cast<float>(unit_interval(random_word(2, 1, i)) - 0.5));
        op.a = put(q);
        op.b = put(k);
        op.out = out;
        op.a_stride[1] = op.b_stride[2] = 2 * dimension;
        op.b_stride[1] = static_cast<std::int32_t>(2 * dimension * tokens);
        op.out_stride[1] = static_cast<std::int32_t>(4 * tokens);
        return op;
    }
    levee_es_operation reduction(std::uint16_t heads, std::uint32_t tokens, std::uint64_t x)
    {
        levee_es_operation op = plain(Function::Softmax, heads, 1, tokens);
        op.x = x;
        op.x_type = LEVEE_TYPE_FP32;
        op.x_stride[1] = op.x_stride[2] = static_cast<std::int32_t>(4 * tokens);
        op.param = scale;
        return op;
    }
    static levee_es_operation normalisation(const levee_es_operation& reduction)
    {
        levee_es_operation op = reduction;
        op.x = reduction.out;
        op.x_type = LEVEE_TYPE_FP16;
        std::copy(std::begin(reduction.out_stride), std::end(reduction.out_stride), op.x_stride);
        op.param = 0.0f;
        return op;
    }
    /// Starts both operations at once and returns the time from the doorbells to the last
    /// completion signal.
    Picoseconds chain(const levee_descriptor& producer, unsigned producer_block,
                      const levee_descriptor& consumer, unsigned consumer_block)
    {
        levee_descriptor both[] = {producer, consumer};
        const unsigned block[] = {producer_block, consumer_block};
        const std::uint32_t before = sync.value(0);
        const Picoseconds begun = now_ps();
        for (int i = 0; i < 2; ++i) {
            both[i].signal_counter[0] = 0;
            both[i].signal_add[0] = 1;
            submit(block[i], {both[i]});
        }
        while (sync.value(0) != before + 2)
            sc_core::wait(sync.changed(0));
        const Picoseconds took = now_ps() - begun;
        settle_all();
        return took;
    }
};

} // namespace

TEST_CASE("scores through a port give the same bits as through memory")
{
    AttentionSystem system;
    system.run([&] {
        constexpr std::uint16_t heads = 3;
        constexpr std::uint32_t tokens = 77;
        const std::uint64_t between = system.take(4 * heads * tokens);
        system.submit(1, {describe(LEVEE_VEDA_GEMV, system.scores(heads, tokens, between))});
        system.settle_all();
        const auto apart = system.reduction(heads, tokens, between);
        CHECK(system.execute(0, describe(LEVEE_ES_REDUCE, apart)) == LEVEE_ERROR_NONE);
        const auto at_once = system.reduction(heads, tokens, LEVEE_STREAM(0));
        system.chain(describe(LEVEE_VEDA_GEMV, system.scores(heads, tokens, LEVEE_STREAM(0))), 1,
                     describe(LEVEE_ES_REDUCE, at_once), 0);
        const auto v = system.get<std::uint16_t>(apart.out, heads * tokens);
        CHECK(system.get<std::uint16_t>(at_once.out, heads * tokens) == v);
        CHECK(system.get<std::uint32_t>(at_once.statistics, 2 * heads) ==
              system.get<std::uint32_t>(apart.statistics, 2 * heads));
        // The statistics describe the values as they were written.
        for (std::uint16_t head = 0; head < heads; ++head) {
            const auto of = element_serial::reduce(Function::Softmax, paper_tile,
                                                   std::span(v).subspan(head * tokens, tokens));
            const auto written = system.get<levee_es_statistics>(at_once.statistics, heads)[head];
            CHECK(written.first == of.first);
            CHECK(written.second == of.second);
        }
    });
}

TEST_CASE("probabilities go to a port, to memory, or to both by a tap, with the same bits")
{
    AttentionSystem system;
    system.run([&] {
        constexpr std::uint16_t heads = 2;
        constexpr std::uint32_t tokens = 90, valid = 70;
        auto reduce = system.reduction(heads, tokens, 0);
        std::vector<float> x(heads * tokens);
        for (std::size_t i = 0; i < x.size(); ++i)
            x[i] = static_cast<float>(normal(4, i)) * 20.0f;
        reduce.x = system.put(x);
        system.set_lengths(reduce, {valid, tokens});
        CHECK(system.execute(0, describe(LEVEE_ES_REDUCE, reduce)) == LEVEE_ERROR_NONE);
        auto normalise = AttentionSystem::normalisation(reduce);
        normalise.out = system.take(2 * heads * tokens);
        CHECK(system.execute(0, describe(LEVEE_ES_NORMALISE, normalise)) == LEVEE_ERROR_NONE);
        const auto in_memory = system.get<std::uint16_t>(normalise.out, heads * tokens);
        CHECK(in_memory[valid - 1] != 0);
        for (std::uint32_t i = valid; i < tokens; ++i)
            CHECK(in_memory[i] == 0);
        // This reduction changes nothing and writes what arrives through a port.
        auto listen = system.plain(Function::RmsNorm, heads, 1, tokens);
        listen.x = LEVEE_STREAM(1);
        listen.x_type = LEVEE_TYPE_FP32;
        auto to_port = normalise;
        to_port.out = LEVEE_STREAM(1);
        system.chain(describe(LEVEE_ES_NORMALISE, to_port), 0, describe(LEVEE_ES_REDUCE, listen),
                     2);
        CHECK(system.get<std::uint16_t>(listen.out, heads * tokens) == in_memory);
        auto tapped = normalise;
        tapped.tap = 1 + 1;
        tapped.out = system.take(2 * heads * tokens);
        std::memset(system.at(listen.out), 0, 2 * heads * tokens);
        system.chain(describe(LEVEE_ES_NORMALISE, tapped), 0, describe(LEVEE_ES_REDUCE, listen), 2);
        CHECK(system.get<std::uint16_t>(listen.out, heads * tokens) == in_memory);
        CHECK(system.get<std::uint16_t>(tapped.out, heads * tokens) == in_memory);
    });
}

TEST_CASE("the time from the last score to the first probability does not depend on the length")
{
    AttentionSystem system;
    system.run([&] {
        std::vector<Picoseconds> reductions, normalisations;
        for (const std::uint32_t tokens : {40u, 512u, 1000u, 1536u}) {
            const std::uint64_t mark = system.mark();
            const auto reduce = system.reduction(1, tokens, LEVEE_STREAM(0));
            const Picoseconds elements = tokens * serial_cycle;
            reductions.push_back(
                system.chain(describe(LEVEE_VEDA_GEMV, system.scores(1, tokens, LEVEE_STREAM(0))),
                             1, describe(LEVEE_ES_REDUCE, reduce), 0) -
                elements);
            auto listen = system.plain(Function::RmsNorm, 1, 1, tokens);
            listen.x = LEVEE_STREAM(1);
            listen.x_type = LEVEE_TYPE_FP32;
            auto normalise = AttentionSystem::normalisation(reduce);
            normalise.out = LEVEE_STREAM(1);
            normalisations.push_back(system.chain(describe(LEVEE_ES_NORMALISE, normalise), 0,
                                                  describe(LEVEE_ES_REDUCE, listen), 2) -
                                     elements);
            system.release(mark);
        }
        // The last score leaves the arrays after 9 cycles, and the sum is complete 43 cycles later.
        // The first probability takes 15 + 7 more.
        const auto front = [](std::uint64_t cycles) { return cycles * serial_cycle; };
        CHECK(reductions == std::vector<Picoseconds>(4, reductions[0]));
        CHECK(normalisations == std::vector<Picoseconds>(4, normalisations[0]));
        CHECK(reductions[0] - normalisations[0] == front(9 + 43) - front(15 + 7 + 7));
    });
}

TEST_CASE("reduction and producer refuse a port with another number of elements")
{
    AttentionSystem system;
    system.run([&] {
        system.submit(1, {describe(LEVEE_VEDA_GEMV, system.scores(2, 40, LEVEE_STREAM(0)))});
        system.submit(0, {describe(LEVEE_ES_REDUCE, system.reduction(2, 41, LEVEE_STREAM(0)))});
        CHECK(system.settle(0));
        CHECK(system.settle(1));
        CHECK(system.reg(0, LEVEE_CMD_ERROR_CODE) == LEVEE_ERROR_STREAM);
        CHECK(system.reg(0, LEVEE_CMD_ERROR_FIELD) ==
              operation_field(offsetof(levee_es_operation, x)));
        CHECK(system.reg(1, LEVEE_CMD_ERROR_CODE) == LEVEE_ERROR_STREAM);
    });
}
