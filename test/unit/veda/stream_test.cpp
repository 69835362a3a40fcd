// SPDX-License-Identifier: Apache-2.0
// Scores go to softmax through a stream port: element-serial, as VEDA's section IV-B wants them.
#include "ip/common/numerics.hpp"
#include "ip/sfu/module.hpp"
#include "test/unit/veda/veda_system.hpp"

using namespace levee;
using namespace levee::test;

TEST_CASE("softmax fed by the arrays gives the bits it gives through memory")
{
    VedaSystem system;
    sfu::Sfu sfu("sfu", {Clock{1'000'000'000}, 1, 4, queue_config}, system.fabric);
    system.connect(sfu.queue);
    system.run([&] {
        constexpr std::uint32_t tokens = 50, heads = 2;
        levee_veda_operation scores = system.plain(LEVEE_VEDA_INNER, heads, 1, 64, tokens);
        for (std::uint64_t at = scores.a; at < scores.out; at += 2) {
            const auto value =
                static_cast<std::uint16_t>((random_word(1, 2, at) & 0x83FF) | 10 << 10);
            std::memcpy(system.at(at), &value, sizeof value);
        }
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
