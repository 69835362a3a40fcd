// SPDX-License-Identifier: Apache-2.0
// Tests each part of the function unit's operations on its own.
#include "ip/sfu/declaration.hpp"
#include "ip/sfu/vector_inputs.hpp"
#include "ip/sfu/vector_results.hpp"
#include "test/unit/blocks/acting_block.hpp"

using namespace levee;
using namespace levee::test;
using namespace levee::sfu;

namespace {

/// A block that only reads each operation's tables; the test does the rest.
struct Part : ActingBlock {
    explicit Part(DataMode data = DataMode::Functional)
        : ActingBlock(sfu::declaration, data, {{"port", 1'000'000'000, 7'000}})
    {
    }

    std::uint32_t prepare(std::uint8_t opcode, const levee_sfu_operation& op,
                          const std::function<void(Operation&)>& what)
    {
        return with(opcode, op, [&](const levee_descriptor& descriptor, Operation& operation) {
            vectors = VectorOperation(descriptor);
            vectors.check();
            tables.read();
            what(operation);
        });
    }

    VectorOperation vectors;
    VectorTables tables{queue, vectors};
    VectorInputs inputs{queue, vectors, tables};
    VectorResults results{queue, vectors, tables};
};

/// Returns an operation on vectors of 4 FP32, in two groups of two rows.
levee_sfu_operation four_vectors(Bench& system)
{
    levee_sfu_operation op{};
    op.outer[0] = 2;
    op.outer[1] = 1;
    op.rows = 2;
    op.n = 4;
    op.x_type = op.out_type = LEVEE_TYPE_FP32;
    std::vector<float> x(16);
    for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = static_cast<float>(i);
    op.x = system.put(x);
    op.out = system.take(sizeof(float) * x.size());
    for (std::int32_t* const stride : {op.x_stride, op.out_stride}) {
        stride[0] = 32;
        stride[2] = 16;
    }
    return op;
}

using Floats = std::vector<float>;

Floats all_of(std::span<const float> elements)
{
    return {elements.begin(), elements.end()};
}

} // namespace

TEST_CASE("an operation's checks name the wrong member")
{
    Part part;
    part.run([&] {
        const levee_sfu_operation good = four_vectors(part);
        const auto with = [&](std::uint8_t opcode, auto change) {
            levee_sfu_operation op = good;
            change(op);
            const std::uint32_t code = part.prepare(opcode, op, [](Operation&) {});
            return std::pair(code, part.error_field - operation_field(0));
        };
        using Op = levee_sfu_operation;
        const auto fault = [](std::uint32_t code, std::size_t member) {
            return std::pair(code, static_cast<std::uint32_t>(member));
        };
        CHECK(with(LEVEE_SFU_RELU, [](Op&) {}).first == LEVEE_ERROR_NONE);
        CHECK(with(LEVEE_SFU_RELU, [](Op& op) { op.rows = 0; }) ==
              fault(LEVEE_ERROR_FIELD, offsetof(Op, rows)));
        CHECK(with(LEVEE_SFU_ADD, [](Op&) {}) == fault(LEVEE_ERROR_ADDRESS, offsetof(Op, y)));
        CHECK(with(LEVEE_SFU_RELU, [](Op& op) { op.flags = LEVEE_SFU_CAUSAL; }) ==
              fault(LEVEE_ERROR_FIELD, offsetof(Op, flags)));
        CHECK(with(LEVEE_SFU_ROPE, [&](Op& op) { op.y = op.x, op.seed = 3; }) ==
              fault(LEVEE_ERROR_FIELD, offsetof(Op, seed)));
        CHECK(with(LEVEE_SFU_RELU, [](Op& op) { op.out_type = LEVEE_TYPE_INT8; }) ==
              fault(LEVEE_ERROR_ADDRESS, offsetof(Op, out_scale)));
        CHECK(with(LEVEE_SFU_RELU, [](Op& op) { op.x += 2; }) ==
              fault(LEVEE_ERROR_ADDRESS, offsetof(Op, x)));
    });
}

TEST_CASE("tables give each group its length, and each row its visible elements")
{
    Part part;
    part.run([&] {
        levee_sfu_operation op = four_vectors(part);
        op.lengths = part.put<std::uint32_t>({1, 3});
        op.lengths_stride[0] = 4;
        op.length_add = 1;
        op.flags = LEVEE_SFU_CAUSAL;
        const auto softmax = [&](const std::function<void(Operation&)>& what) {
            return part.prepare(LEVEE_SFU_SOFTMAX, op, what);
        };
        CHECK(softmax([&](Operation&) {
                  CHECK(part.tables.group(0).length == 2);
                  CHECK(part.tables.group(1).length == 4);
                  const Seen first = part.tables.seen(part.tables.group(1), 0);
                  CHECK(first.first == 0);
                  CHECK(first.count == 3);
                  CHECK(part.tables.seen(part.tables.group(1), 1).count == 4);
              }) == LEVEE_ERROR_NONE);
        op.seed = 2; // For a softmax, this field is the window.
        CHECK(softmax([&](Operation&) {
                  const Seen first = part.tables.seen(part.tables.group(1), 0);
                  CHECK(first.first == 1);
                  CHECK(first.count == 2);
              }) == LEVEE_ERROR_NONE);
        op.seed = 0;
        op.length_add = 2; // A row would see 5 of 4 elements.
        CHECK(softmax([](Operation&) {}) == LEVEE_ERROR_FIELD);
        CHECK(part.error_field == operation_field(offsetof(levee_sfu_operation, lengths)));
        // With a length of 1, the first row of a causal block would see no element.
        op.length_add = 0;
        CHECK(softmax([](Operation&) {}) == LEVEE_ERROR_FIELD);
        CHECK(part.error_field == operation_field(offsetof(levee_sfu_operation, rows)));
    });
}

TEST_CASE("operands are read group by group")
{
    Part part;
    part.run([&] {
        levee_sfu_operation op = four_vectors(part);
        op.y = part.put(Floats{9, 8, 7, 6, 5, 4, 3, 2, 1, 0, -1, -2, -3, -4, -5, -6});
        op.y_stride[0] = 32;
        op.y_stride[2] = 16;
        CHECK(part.prepare(LEVEE_SFU_ADD, op, [&](Operation& operation) {
            part.inputs.open(operation);
            // There are two streams, each through a link and a memory.
            CHECK(operation.job.activity.uses.size() == 4);
            CHECK(part.inputs.need_loading());
            part.inputs.load(part.tables.group(1), 1, nullptr);
            CHECK(all_of(part.inputs.x(0, 2)) == Floats{8, 9, 10, 11});
            CHECK(all_of(part.inputs.x(1, 3)) == Floats{12, 13, 14, 15});
            CHECK(all_of(part.inputs.y(1)) == Floats{-3, -4, -5, -6});
        }) == LEVEE_ERROR_NONE);
    });
}

TEST_CASE("without payload only data that some memory tracks are loaded")
{
    Part part(DataMode::TimingOnly);
    part.run([&] {
        const levee_sfu_operation op = four_vectors(part);
        CHECK(part.prepare(LEVEE_SFU_RELU, op, [&](Operation& operation) {
            part.inputs.open(operation);
            CHECK_FALSE(part.inputs.need_loading());
            part.results.open(operation);
            part.results.finish(operation);
        }) == LEVEE_ERROR_NONE);
        CHECK(part.get<float>(op.out, 1)[0] == 0.0f);
    });
}

TEST_CASE("results are stored in their format at the table's places, when they are committed")
{
    Part part;
    part.run([&] {
        levee_sfu_operation op = four_vectors(part);
        op.flags = LEVEE_SFU_SCATTER;
        op.indices = part.put<std::uint32_t>({2, LEVEE_SFU_SKIP});
        op.indices_stride[0] = 4;
        op.out = part.take(256);
        op.out_stride[0] = 64;
        op.out_type = LEVEE_TYPE_INT8;
        op.out_scale = part.take(64);
        op.out_scale_stride[0] = 16;
        op.out_scale_stride[2] = 4;
        CHECK(part.prepare(LEVEE_SFU_QUANTISE, op, [&](Operation& operation) {
            part.results.open(operation);
            part.results.make_room();
            for (std::size_t vector = 0; vector < 4; ++vector)
                part.results.store(vector, Floats{0, 127, -127, 1});
            part.results.finish(operation);
            // The result has not been written yet.
            CHECK(part.get<std::int8_t>(op.out + 32, 4) == std::vector<std::int8_t>(4));
        }) == LEVEE_ERROR_NONE);
        const auto row = [&](std::uint32_t number) {
            return part.get<std::int8_t>(op.out + 16 * number, 4);
        };
        CHECK(row(2) == std::vector<std::int8_t>{0, 127, -127, 1});
        CHECK(row(3) == row(2)); // This is the second row of the group.
        CHECK(row(0) == std::vector<std::int8_t>(4));
        CHECK(part.get<float>(op.out_scale, 4) == Floats{0, 0, 1, 1});
    });
}
