// SPDX-License-Identifier: Apache-2.0
#include "ip/veda/declaration.hpp"
#include "test/unit/veda/veda_system.hpp"

using namespace levee;
using namespace levee::test;

using Op = levee_veda_operation;

TEST_CASE("what the arrays do not take is refused with the field that says so")
{
    VedaSystem system;
    system.run([&] {
        Op good = system.plain(LEVEE_VEDA_INNER, 2, 2, 8, 8);
        const auto refused = [&](levee_command_error code, std::size_t member, auto spoil) {
            Op bad = good;
            spoil(bad);
            INFO("member " << field_at(veda::operation_fields, member));
            CHECK(system.execute(0, describe(LEVEE_VEDA_GEMV, bad)) == code);
            CHECK(system.reg(0, LEVEE_CMD_ERROR_FIELD) == operation_field(member));
            system.set_reg(0, LEVEE_CMD_CONTROL, LEVEE_CMD_CONTROL_RESET);
        };
        refused(LEVEE_ERROR_FIELD, offsetof(Op, outer), [](Op& o) { o.outer[1] = 0; });
        refused(LEVEE_ERROR_FIELD, offsetof(Op, outer),
                [](Op& o) { o.outer[0] = o.outer[1] = 0xFFFF; });
        refused(LEVEE_ERROR_FIELD, offsetof(Op, m), [](Op& o) { o.m = 0; });
        refused(LEVEE_ERROR_FIELD, offsetof(Op, m), [](Op& o) { o.m = 0xFFFF'FFFF; });
        refused(LEVEE_ERROR_FIELD, offsetof(Op, k), [](Op& o) { o.k = 0; });
        refused(LEVEE_ERROR_FIELD, offsetof(Op, k), [](Op& o) { o.k = (1 << 20) + 1; });
        refused(LEVEE_ERROR_FIELD, offsetof(Op, n), [](Op& o) { o.n = 0; });
        refused(LEVEE_ERROR_FIELD, offsetof(Op, n), [](Op& o) {
            o.n = 1 << 20;
            o.m = 1 << 10;
        });
        refused(LEVEE_ERROR_FIELD, offsetof(Op, mode), [](Op& o) { o.mode = 2; });
        refused(LEVEE_ERROR_FIELD, offsetof(Op, flags), [](Op& o) { o.flags = 4; });
        refused(LEVEE_ERROR_FIELD, offsetof(Op, ragged), [](Op& o) { o.ragged = 3; });
        refused(LEVEE_ERROR_FIELD, offsetof(Op, lengths),
                [](Op& o) { o.ragged = LEVEE_VEDA_RAGGED_N; });
        const std::uint64_t zeroes = system.put(std::vector<std::uint32_t>(4));
        refused(LEVEE_ERROR_FIELD, offsetof(Op, lengths), [&](Op& o) {
            o.ragged = LEVEE_VEDA_RAGGED_K;
            o.lengths = zeroes;
        });
        refused(LEVEE_ERROR_FIELD, offsetof(Op, lengths), [&](Op& o) {
            o.ragged = LEVEE_VEDA_RAGGED_K;
            o.lengths = zeroes;
            o.length_add = 9; // more than k
        });
        refused(LEVEE_ERROR_ADDRESS, offsetof(Op, lengths), [&](Op& o) {
            o.ragged = LEVEE_VEDA_RAGGED_N;
            o.lengths = zeroes + 2;
        });
        refused(LEVEE_ERROR_TYPE, offsetof(Op, out_type),
                [](Op& o) { o.out_type = LEVEE_TYPE_INT16; });
        refused(LEVEE_ERROR_ADDRESS, offsetof(Op, a), [](Op& o) { o.a = 0; });
        refused(LEVEE_ERROR_ADDRESS, offsetof(Op, a), [](Op& o) { o.a += 1; });
        refused(LEVEE_ERROR_ADDRESS, offsetof(Op, a_stride) + 8, [](Op& o) { o.a_stride[2] += 1; });
        refused(LEVEE_ERROR_ADDRESS, offsetof(Op, b), [](Op& o) { o.b = 0; });
        refused(LEVEE_ERROR_ADDRESS, offsetof(Op, b),
                [](Op& o) { o.b = memory_base + memory_bytes - 64; });
        refused(LEVEE_ERROR_ADDRESS, offsetof(Op, b_stride) + 4, [](Op& o) { o.b_stride[1] -= 1; });
        refused(LEVEE_ERROR_ADDRESS, offsetof(Op, out), [](Op& o) { o.out = sync_base; });
        refused(LEVEE_ERROR_ADDRESS, offsetof(Op, out), [](Op& o) {
            o.out_type = LEVEE_TYPE_FP32;
            o.out += 2;
        });
        refused(LEVEE_ERROR_STREAM, offsetof(Op, out), [](Op& o) { o.out = LEVEE_STREAM(1); });
        levee_descriptor unknown = describe(2, good);
        CHECK(system.execute(0, unknown) == LEVEE_ERROR_OPCODE);
        system.set_reg(0, LEVEE_CMD_CONTROL, LEVEE_CMD_CONTROL_RESET);
        CHECK(system.execute(0, describe(LEVEE_VEDA_GEMV, good)) == LEVEE_ERROR_NONE);
    });
}
