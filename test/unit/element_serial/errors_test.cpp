// SPDX-License-Identifier: Apache-2.0
#include "ip/element_serial/declaration.hpp"
#include "test/unit/element_serial/serial_system.hpp"

using namespace levee;
using namespace levee::test;
using element_serial::Function;

using Op = levee_es_operation;

namespace {

/// Valid operations of the unit. The tests change one member at a time.
struct SerialRefusals {
    SerialSystem& system;
    Op good;

    explicit SerialRefusals(SerialSystem& machine)
        : system(machine), good(machine.plain(Function::Softmax, 2, 2, 8))
    {
    }
    template <typename Spoil>
    void refused(std::uint8_t opcode, levee_command_error code, std::size_t member, Spoil spoil)
    {
        Op bad = good;
        spoil(bad);
        INFO("opcode " << int{opcode} << ", member "
                       << field_at(element_serial::operation_fields, member));
        CHECK(system.execute(0, describe(opcode, bad)) == code);
        CHECK(system.reg(0, LEVEE_CMD_ERROR_FIELD) == operation_field(member));
        system.set_reg(0, LEVEE_CMD_CONTROL, LEVEE_CMD_CONTROL_RESET);
    }
    template <typename Spoil>
    void refused_both(levee_command_error code, std::size_t member, Spoil spoil)
    {
        refused(LEVEE_ES_REDUCE, code, member, spoil);
        refused(LEVEE_ES_NORMALISE, code, member, spoil);
    }
};

} // namespace

TEST_CASE("shapes and functions that the unit does not support are refused by field")
{
    SerialSystem system;
    system.run([&] {
        SerialRefusals refusals(system);
        CHECK(system.execute(0, describe(3, refusals.good)) == LEVEE_ERROR_OPCODE);
        system.set_reg(0, LEVEE_CMD_CONTROL, LEVEE_CMD_CONTROL_RESET);
        const auto field = [&](std::size_t member, auto spoil) {
            refusals.refused_both(LEVEE_ERROR_FIELD, member, spoil);
        };
        field(offsetof(Op, outer), [](Op& o) { o.outer[1] = 0; });
        field(offsetof(Op, outer), [](Op& o) { o.outer[0] = o.outer[1] = 0xFFFF; });
        field(offsetof(Op, rows), [](Op& o) { o.rows = 0; });
        field(offsetof(Op, group), [](Op& o) { o.group = 0; });
        field(offsetof(Op, n), [](Op& o) { o.n = 0; });
        field(offsetof(Op, n), [](Op& o) { o.n = (1 << 20) + 1; });
        field(offsetof(Op, n), [](Op& o) {
            o.n = 1 << 20;
            o.rows = 1 << 10;
        });
        field(offsetof(Op, function), [](Op& o) { o.function = 3; });
        field(offsetof(Op, flags), [](Op& o) { o.flags = 2; });
        field(offsetof(Op, flags), [](Op& o) {
            o.flags = LEVEE_ES_CAUSAL;
            o.function = LEVEE_ES_RMS_NORM;
        });
        field(offsetof(Op, window), [](Op& o) {
            o.window = 1;
            o.function = LEVEE_ES_RMS_NORM;
        });
        field(offsetof(Op, reserved), [](Op& o) { o.reserved = 1; });
        CHECK(system.execute(0, describe(LEVEE_ES_REDUCE, refusals.good)) == LEVEE_ERROR_NONE);
        CHECK(system.execute(0, describe(LEVEE_ES_NORMALISE, refusals.good)) == LEVEE_ERROR_NONE);
    });
}

TEST_CASE("lengths that no vector can have are refused by field")
{
    SerialSystem system;
    system.run([&] {
        SerialRefusals refusals(system);
        const std::uint64_t zeroes = system.put(std::vector<std::uint32_t>(8));
        const auto field = [&](std::size_t member, auto spoil) {
            refusals.refused_both(LEVEE_ERROR_FIELD, member, spoil);
        };
        field(offsetof(Op, lengths), [&](Op& o) {
            o.lengths = zeroes;
            o.length_add = 1;
            o.function = LEVEE_ES_LAYER_NORM;
        });
        field(offsetof(Op, lengths), [&](Op& o) { o.lengths = zeroes; });
        field(offsetof(Op, lengths), [&](Op& o) {
            o.lengths = zeroes;
            o.length_add = 9;
        });
        field(offsetof(Op, rows), [&](Op& o) {
            o.lengths = zeroes;
            o.length_add = 1;
            o.flags = LEVEE_ES_CAUSAL;
        });
    });
}

TEST_CASE("unused or misplaced operands are refused by field")
{
    SerialSystem system;
    system.run([&] {
        SerialRefusals refusals(system);
        const auto reduce = [&](levee_command_error code, std::size_t member, auto spoil) {
            refusals.refused(LEVEE_ES_REDUCE, code, member, spoil);
        };
        const auto normalise = [&](levee_command_error code, std::size_t member, auto spoil) {
            refusals.refused(LEVEE_ES_NORMALISE, code, member, spoil);
        };
        const std::uint64_t row = system.take(64);
        const auto out = offsetof(Op, out), x_type = offsetof(Op, x_type);
        reduce(LEVEE_ERROR_FIELD, offsetof(Op, gain), [&](Op& o) { o.gain = row; });
        reduce(LEVEE_ERROR_FIELD, offsetof(Op, bias), [&](Op& o) { o.bias = row; });
        reduce(LEVEE_ERROR_FIELD, offsetof(Op, tap), [](Op& o) { o.tap = 1; });
        reduce(LEVEE_ERROR_STREAM, out, [](Op& o) { o.out = LEVEE_STREAM(0); });
        reduce(LEVEE_ERROR_TYPE, x_type, [](Op& o) { o.x_type = LEVEE_TYPE_INT16; });
        reduce(LEVEE_ERROR_TYPE, x_type, [](Op& o) { o.x = LEVEE_STREAM(0); });
        // Without `out`, NORMALISE would read other data than those that the statistics describe.
        reduce(LEVEE_ERROR_ADDRESS, out, [&](Op& o) { o.out = 0, o.y = row; });
        reduce(LEVEE_ERROR_ADDRESS, out, [](Op& o) { o.out = 0, o.param = 0.5f; });
        reduce(LEVEE_ERROR_ADDRESS, out, [](Op& o) { o.out = 0, o.x_type = LEVEE_TYPE_FP32; });
        normalise(LEVEE_ERROR_FIELD, offsetof(Op, y), [&](Op& o) { o.y = row; });
        normalise(LEVEE_ERROR_FIELD, offsetof(Op, gain), [&](Op& o) { o.gain = row; });
        normalise(LEVEE_ERROR_FIELD, offsetof(Op, bias), [&](Op& o) { o.bias = row; });
        normalise(LEVEE_ERROR_ADDRESS, out, [](Op& o) { o.out = 0; });
        normalise(LEVEE_ERROR_TYPE, x_type, [](Op& o) { o.x_type = LEVEE_TYPE_FP32; });
        normalise(LEVEE_ERROR_STREAM, offsetof(Op, x), [](Op& o) { o.x = LEVEE_STREAM(0); });
        normalise(LEVEE_ERROR_STREAM, out, [](Op& o) { o.out = LEVEE_STREAM(3); });
        normalise(LEVEE_ERROR_STREAM, offsetof(Op, tap), [](Op& o) { o.tap = 4; });
        normalise(LEVEE_ERROR_FIELD, offsetof(Op, tap), [](Op& o) {
            o.tap = 2;
            o.out = LEVEE_STREAM(0);
        });
        Op in_place = refusals.good;
        in_place.out = 0;
        CHECK(system.execute(0, describe(LEVEE_ES_REDUCE, in_place)) == LEVEE_ERROR_NONE);
    });
}

TEST_CASE("addresses and strides that no element can have are refused by field")
{
    SerialSystem system;
    system.run([&] {
        SerialRefusals refusals(system);
        const auto address = [&](std::size_t member, auto spoil) {
            refusals.refused_both(LEVEE_ERROR_ADDRESS, member, spoil);
        };
        address(offsetof(Op, x), [](Op& o) { o.x = 0; });
        address(offsetof(Op, x), [](Op& o) { o.x += 1; });
        address(offsetof(Op, x), [](Op& o) { o.x = memory_base + memory_bytes - 8; });
        address(offsetof(Op, x_stride) + 8, [](Op& o) { o.x_stride[2] += 1; });
        address(offsetof(Op, out), [](Op& o) { o.out = sync_base; });
        address(offsetof(Op, out_stride) + 4, [](Op& o) { o.out_stride[1] -= 1; });
        address(offsetof(Op, statistics), [](Op& o) { o.statistics = 0; });
        address(offsetof(Op, statistics), [](Op& o) { o.statistics += 2; });
        address(offsetof(Op, statistics_stride), [](Op& o) { o.statistics_stride[0] = 2; });
        address(offsetof(Op, lengths), [](Op& o) { o.lengths = memory_base + 2; });
        refusals.refused(LEVEE_ES_REDUCE, LEVEE_ERROR_ADDRESS, offsetof(Op, y_stride),
                         [](Op& o) { o.y = memory_base, o.y_stride[0] = 1; });
        refusals.refused(LEVEE_ES_NORMALISE, LEVEE_ERROR_ADDRESS, offsetof(Op, gain), [](Op& o) {
            o.function = LEVEE_ES_RMS_NORM;
            o.gain = memory_base + 2;
        });
        // The rows overlap.
        refusals.refused_both(LEVEE_ERROR_FIELD, offsetof(Op, out),
                              [](Op& o) { o.out_stride[2] = 2; });
    });
}
