// SPDX-License-Identifier: Apache-2.0
// Tests tables that place or skip the rows of a result, one by one or in groups.
#include "core/numerics/numerics.hpp"
#include "ip/sfu/model.hpp"
#include "ip/sfu/module.hpp"
#include "test/unit/blocks/bench.hpp"

#include <cstddef>

namespace {

using namespace levee;
using namespace levee::test;

using Op = levee_sfu_operation;

constexpr std::uint32_t groups = 3, rows = 4, n = 16, slots = 24;
constexpr std::uint32_t row_bytes = 2 * n;
constexpr std::uint32_t skip = LEVEE_SFU_SKIP;

struct System : Bench {
    sfu::Sfu sfu{"sfu", {Clock{1'000'000'000}, 8, 10, queue_config}, fabric};
    std::vector<std::uint32_t> positions, phases;
    std::vector<float> x;
    Op op{};

    /// Rotates rows and quantises them into a table of slots for each group.
    System() : Bench("bench")
    {
        connect(sfu.queue);
        for (std::uint32_t i = 0; i < groups * rows * n; ++i)
            x.push_back(unit_interval(random_word(1, 1, i)) - 0.5f);
        for (std::uint32_t i = 0; i < groups * rows; ++i)
            positions.push_back(random_word(1, 2, i) % 1000);
        for (std::uint32_t i = 0; i < n / 2; ++i)
            phases.push_back(random_word(1, 3, i));
        op.outer[0] = 1;
        op.outer[1] = groups;
        op.rows = rows;
        op.n = n;
        op.x_type = LEVEE_TYPE_FP32;
        op.out_type = LEVEE_TYPE_INT16;
        op.x = put(x);
        op.x_stride[2] = 4 * n;
        op.x_stride[1] = 4 * n * rows;
        op.y = put(phases);
        op.positions = put(positions);
        op.positions_stride[1] = 4 * rows;
        op.indices_stride[1] = 4 * rows;
        op.out = take(groups * slots * row_bytes);
        op.out_stride[2] = row_bytes;
        op.out_stride[1] = slots * row_bytes;
        op.out_scale = take(groups * slots * 4);
        op.out_scale_stride[2] = 4;
        op.out_scale_stride[1] = slots * 4;
    }

    std::vector<std::uint8_t> codes_, scales_;
    /// Requires the expected codes and scales. The arguments give each vector's row in its group,
    /// or skip.
    void expect(const std::vector<std::uint32_t>& out_row,
                const std::vector<std::uint32_t>& scale_row,
                const std::vector<std::uint32_t>& at_positions)
    {
        codes_.assign(groups * slots * row_bytes, 0x5A);
        scales_.assign(groups * slots * 4, 0x5A);
        for (std::uint32_t vector = 0; vector < groups * rows; ++vector) {
            std::vector<float> turned(n);
            sfu::rope(std::span(x).subspan(vector * n, n), phases, at_positions[vector], false,
                      turned);
            std::vector<std::int16_t> codes(n);
            const float scale = sfu::quantise(turned, codes);
            const std::uint32_t first = vector / rows * slots;
            if (out_row[vector] != skip)
                std::memcpy(&codes_[(first + out_row[vector]) * row_bytes], codes.data(),
                            row_bytes);
            if (scale_row[vector] != skip)
                std::memcpy(&scales_[(first + scale_row[vector]) * 4], &scale, 4);
        }
    }
    /// Runs the operation and returns the bytes written to memory.
    std::uint64_t run_rope()
    {
        std::memset(at(op.out), 0x5A, groups * slots * row_bytes);
        std::memset(at(op.out_scale), 0x5A, groups * slots * 4);
        const auto descriptor = put(std::vector<levee_descriptor>{describe(LEVEE_SFU_ROPE, op)});
        const std::uint64_t before = written();
        submit_at(0, descriptor, 1);
        CHECK(settle(0));
        CHECK(reg(0, LEVEE_CMD_ERROR_CODE) == LEVEE_ERROR_NONE);
        CHECK(get<std::uint8_t>(op.out, codes_.size()) == codes_);
        CHECK(get<std::uint8_t>(op.out_scale, scales_.size()) == scales_);
        return written() - before;
    }
    std::uint64_t written() { return figure(memory, "write_bytes"); }
};

std::vector<std::uint32_t> in_order()
{
    std::vector<std::uint32_t> row(groups * rows);
    for (std::uint32_t i = 0; i < row.size(); ++i)
        row[i] = i % rows;
    return row;
}

} // namespace

TEST_CASE("with row words, each row has a separate position and place, or none")
{
    System system;
    system.run([&] {
        const std::vector<std::uint32_t> targets{5,    skip, 0, 23, skip, skip,
                                                 skip, skip, 3, 2,  1,    9};
        system.op.flags = LEVEE_SFU_SCATTER | LEVEE_SFU_ROW_WORDS;
        system.op.indices = system.put(targets);
        system.expect(targets, targets, system.positions);
        CHECK(system.run_rope() == 7 * (row_bytes + 4));
        system.op.indices = system.put(std::vector<std::uint32_t>(groups * rows, skip));
        const std::vector<std::uint32_t> none(groups * rows, skip);
        system.expect(none, none, system.positions);
        CHECK(system.run_rope() == 0);
    });
}

TEST_CASE("only the scales are scattered while the rows keep their order")
{
    System system;
    system.run([&] {
        const std::vector<std::uint32_t> targets{5,    skip, 0, 23, skip, skip,
                                                 skip, skip, 3, 2,  1,    9};
        system.op.flags = LEVEE_SFU_SCATTER | LEVEE_SFU_ROW_WORDS | LEVEE_SFU_SCATTER_SCALE;
        system.op.indices = system.put(targets);
        system.expect(in_order(), targets, system.positions);
        CHECK(system.run_rope() == 12 * row_bytes + 7 * 4);
    });
}

TEST_CASE("a group is not written if its word says so")
{
    System system;
    system.run([&] {
        std::vector<std::uint32_t> targets, at_positions;
        const std::uint32_t words[groups] = {7, skip, 20};
        for (std::uint32_t group = 0; group < groups; ++group)
            for (std::uint32_t row = 0; row < rows; ++row) {
                targets.push_back(words[group] == skip ? skip : words[group] + row);
                at_positions.push_back(system.positions[group * rows] + row);
            }
        system.op.flags = LEVEE_SFU_SCATTER;
        system.op.indices = system.put<std::uint32_t>({words[0], words[1], words[2]});
        system.op.indices_stride[1] = 4;
        system.expect(targets, targets, at_positions);
        CHECK(system.run_rope() == 8 * (row_bytes + 4));
        system.op.flags = LEVEE_SFU_SCATTER | LEVEE_SFU_SCATTER_SCALE;
        system.expect(in_order(), targets, at_positions);
        CHECK(system.run_rope() == 12 * row_bytes + 8 * 4);
    });
}

TEST_CASE("row words and scattered scales are refused for operations without them")
{
    System system;
    system.run([&] {
        const auto refused = [&](std::uint8_t opcode, levee_command_error code, std::size_t member,
                                 auto spoil) {
            Op bad = system.op;
            bad.indices = system.put(std::vector<std::uint32_t>(groups * rows, 0x4000'0000));
            spoil(bad);
            INFO("member " << member);
            CHECK(system.execute(0, describe(opcode, bad)) == code);
            CHECK(system.reg(0, LEVEE_CMD_ERROR_FIELD) == operation_field(member));
            system.set_reg(0, LEVEE_CMD_CONTROL, LEVEE_CMD_CONTROL_RESET);
        };
        refused(LEVEE_SFU_RELU, LEVEE_ERROR_FIELD, offsetof(Op, flags),
                [](Op& o) { o.flags = LEVEE_SFU_ROW_WORDS; });
        refused(LEVEE_SFU_RELU, LEVEE_ERROR_FIELD, offsetof(Op, flags),
                [](Op& o) { o.flags = LEVEE_SFU_SCATTER_SCALE; });
        refused(LEVEE_SFU_RELU, LEVEE_ERROR_FIELD, offsetof(Op, flags), [](Op& o) {
            o.flags = LEVEE_SFU_SCATTER | LEVEE_SFU_SCATTER_SCALE;
            o.out_type = LEVEE_TYPE_FP32;
        });
        refused(LEVEE_SFU_ROPE, LEVEE_ERROR_ADDRESS, offsetof(Op, out),
                [](Op& o) { o.flags = LEVEE_SFU_SCATTER | LEVEE_SFU_ROW_WORDS; });
        refused(LEVEE_SFU_ROPE, LEVEE_ERROR_ADDRESS, offsetof(Op, out_scale), [](Op& o) {
            o.flags = LEVEE_SFU_SCATTER | LEVEE_SFU_ROW_WORDS | LEVEE_SFU_SCATTER_SCALE;
        });
        refused(LEVEE_SFU_ROPE, LEVEE_ERROR_ADDRESS, offsetof(Op, positions), [](Op& o) {
            o.flags = LEVEE_SFU_ROW_WORDS;
            o.positions = memory_base + memory_bytes - 8;
        });
    });
}
