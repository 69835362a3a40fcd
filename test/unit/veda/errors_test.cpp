// SPDX-License-Identifier: Apache-2.0
#include "ip/veda/declaration.hpp"
#include "test/unit/veda/veda_system.hpp"

using namespace levee;
using namespace levee::test;

using Op = levee_veda_operation;

namespace {

/// A valid operation of the arrays. The tests change one member at a time.
struct Refusals {
    VedaSystem& system;
    Op good;
    std::uint64_t zeroes;

    explicit Refusals(VedaSystem& machine)
        : system(machine), good(machine.plain(LEVEE_VEDA_INNER, 2, 2, 8, 8)),
          zeroes(machine.put(std::vector<std::uint32_t>(4)))
    {
    }
    template <typename Spoil>
    void refused(levee_command_error code, std::size_t member, Spoil spoil)
    {
        Op bad = good;
        spoil(bad);
        INFO("member " << field_at(veda::operation_fields, member));
        CHECK(system.execute(0, describe(LEVEE_VEDA_GEMV, bad)) == code);
        CHECK(system.reg(0, LEVEE_CMD_ERROR_FIELD) == operation_field(member));
        system.set_reg(0, LEVEE_CMD_CONTROL, LEVEE_CMD_CONTROL_RESET);
    }
};

} // namespace

TEST_CASE("opcodes, shapes and flags that the arrays do not support are refused by field")
{
    VedaSystem system;
    system.run([&] {
        Refusals refusals(system);
        CHECK(system.execute(0, describe(2, refusals.good)) == LEVEE_ERROR_OPCODE);
        system.set_reg(0, LEVEE_CMD_CONTROL, LEVEE_CMD_CONTROL_RESET);
        refusals.refused(LEVEE_ERROR_FIELD, offsetof(Op, outer), [](Op& o) { o.outer[1] = 0; });
        refusals.refused(LEVEE_ERROR_FIELD, offsetof(Op, outer),
                         [](Op& o) { o.outer[0] = o.outer[1] = 0xFFFF; });
        refusals.refused(LEVEE_ERROR_FIELD, offsetof(Op, m), [](Op& o) { o.m = 0; });
        refusals.refused(LEVEE_ERROR_FIELD, offsetof(Op, m), [](Op& o) { o.m = 0xFFFF'FFFF; });
        refusals.refused(LEVEE_ERROR_FIELD, offsetof(Op, k), [](Op& o) { o.k = 0; });
        refusals.refused(LEVEE_ERROR_FIELD, offsetof(Op, k), [](Op& o) { o.k = (1 << 20) + 1; });
        refusals.refused(LEVEE_ERROR_FIELD, offsetof(Op, n), [](Op& o) { o.n = 0; });
        refusals.refused(LEVEE_ERROR_FIELD, offsetof(Op, n), [](Op& o) {
            o.n = 1 << 20;
            o.m = 1 << 10;
        });
        refusals.refused(LEVEE_ERROR_FIELD, offsetof(Op, mode), [](Op& o) { o.mode = 2; });
        refusals.refused(LEVEE_ERROR_FIELD, offsetof(Op, flags), [](Op& o) { o.flags = 8; });
        refusals.refused(LEVEE_ERROR_FIELD, offsetof(Op, flags),
                         [](Op& o) { o.flags = LEVEE_VEDA_CAUSAL; }); // The operation has no ragged
                                                                      // lengths.
        refusals.refused(LEVEE_ERROR_FIELD, offsetof(Op, ragged), [](Op& o) { o.ragged = 3; });
        CHECK(system.execute(0, describe(LEVEE_VEDA_GEMV, refusals.good)) == LEVEE_ERROR_NONE);
    });
}

TEST_CASE("ragged lengths that the arrays do not support are refused by field")
{
    VedaSystem system;
    system.run([&] {
        Refusals refusals(system);
        refusals.refused(LEVEE_ERROR_FIELD, offsetof(Op, lengths),
                         [](Op& o) { o.ragged = LEVEE_VEDA_RAGGED_N; });
        refusals.refused(LEVEE_ERROR_FIELD, offsetof(Op, lengths), [&](Op& o) {
            o.ragged = LEVEE_VEDA_RAGGED_K;
            o.lengths = refusals.zeroes;
        });
        refusals.refused(LEVEE_ERROR_FIELD, offsetof(Op, lengths), [&](Op& o) {
            o.ragged = LEVEE_VEDA_RAGGED_K;
            o.lengths = refusals.zeroes;
            o.length_add = 9; // The length exceeds k.
        });
        refusals.refused(LEVEE_ERROR_FIELD, offsetof(Op, lengths), [&](Op& o) {
            o.flags |= LEVEE_VEDA_CAUSAL;
            o.ragged = LEVEE_VEDA_RAGGED_N;
            o.lengths = refusals.zeroes;
            o.length_add = 1; // The first of two vectors would see nothing.
        });
        CHECK(system.execute(0, describe(LEVEE_VEDA_GEMV, refusals.good)) == LEVEE_ERROR_NONE);
    });
}

TEST_CASE("addresses, types and streams that the arrays do not support are refused by field")
{
    VedaSystem system;
    system.run([&] {
        Refusals refusals(system);
        refusals.refused(LEVEE_ERROR_ADDRESS, offsetof(Op, lengths), [&](Op& o) {
            o.ragged = LEVEE_VEDA_RAGGED_N;
            o.lengths = refusals.zeroes + 2;
        });
        refusals.refused(LEVEE_ERROR_TYPE, offsetof(Op, out_type),
                         [](Op& o) { o.out_type = LEVEE_TYPE_INT16; });
        refusals.refused(LEVEE_ERROR_ADDRESS, offsetof(Op, a), [](Op& o) { o.a = 0; });
        refusals.refused(LEVEE_ERROR_ADDRESS, offsetof(Op, a), [](Op& o) { o.a += 1; });
        refusals.refused(LEVEE_ERROR_ADDRESS, offsetof(Op, a_stride) + 8,
                         [](Op& o) { o.a_stride[2] += 1; });
        refusals.refused(LEVEE_ERROR_ADDRESS, offsetof(Op, b), [](Op& o) { o.b = 0; });
        refusals.refused(LEVEE_ERROR_ADDRESS, offsetof(Op, b),
                         [](Op& o) { o.b = memory_base + memory_bytes - 64; });
        refusals.refused(LEVEE_ERROR_ADDRESS, offsetof(Op, b_stride) + 4,
                         [](Op& o) { o.b_stride[1] -= 1; });
        refusals.refused(LEVEE_ERROR_ADDRESS, offsetof(Op, out), [](Op& o) { o.out = sync_base; });
        refusals.refused(LEVEE_ERROR_ADDRESS, offsetof(Op, out), [](Op& o) {
            o.out_type = LEVEE_TYPE_FP32;
            o.out += 2;
        });
        refusals.refused(LEVEE_ERROR_STREAM, offsetof(Op, out),
                         [](Op& o) { o.out = LEVEE_STREAM(1); });
        refusals.refused(LEVEE_ERROR_FIELD, offsetof(Op, work_bytes),
                         [](Op& o) { o.work_bytes = 64; });
        refusals.refused(LEVEE_ERROR_FIELD, offsetof(Op, work_bytes), [](Op& o) { o.work = o.a; });
        refusals.refused(LEVEE_ERROR_ADDRESS, offsetof(Op, work), [](Op& o) {
            o.work = o.a + 2;
            o.work_bytes = 64;
        });
        CHECK(system.execute(0, describe(LEVEE_VEDA_GEMV, refusals.good)) == LEVEE_ERROR_NONE);
    });
}

TEST_CASE("unsuitable ports, and vectors that would have to pass twice, are refused")
{
    VedaSystem system(paper_arrays, 64); // B of 8 x 8 takes 128 bytes.
    system.run([&] {
        Refusals refusals(system);
        refusals.good.m = 1;
        refusals.refused(LEVEE_ERROR_STREAM, offsetof(Op, a), [](Op& o) { o.a = LEVEE_STREAM(1); });
        refusals.refused(LEVEE_ERROR_STREAM, offsetof(Op, out),
                         [](Op& o) { o.out = o.a = LEVEE_STREAM(0); });
        refusals.refused(LEVEE_ERROR_FIELD, offsetof(Op, tap), [](Op& o) { o.tap = 1; });
        refusals.refused(LEVEE_ERROR_FIELD, offsetof(Op, tap), [](Op& o) {
            o.a = LEVEE_STREAM(0);
            o.out = LEVEE_STREAM(1);
            o.tap = 3;
        });
        refusals.refused(LEVEE_ERROR_STREAM, offsetof(Op, tap), [](Op& o) {
            o.a = LEVEE_STREAM(0);
            o.tap = 1;
        });
        // With several vectors in parallel, the other array's first vector comes after the second.
        refusals.refused(LEVEE_ERROR_STREAM, offsetof(Op, a), [](Op& o) {
            o.a = LEVEE_STREAM(0);
            o.m = 2;
            o.n = 4;
            o.flags |= LEVEE_VEDA_SPLIT;
        });
        CHECK(system.execute(0, describe(LEVEE_VEDA_GEMV, refusals.good)) == LEVEE_ERROR_NONE);
    });
}
