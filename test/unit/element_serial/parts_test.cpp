// SPDX-License-Identifier: Apache-2.0
// Tests each part of the element-serial unit's operations on its own.
#include "ip/element_serial/declaration.hpp"
#include "ip/element_serial/vector_traffic.hpp"
#include "test/unit/blocks/acting_block.hpp"

using namespace levee;
using namespace levee::test;
using namespace levee::element_serial;

namespace {

constexpr std::uint32_t tile = 32;

/// A block that only reads each operation; the test does the rest.
struct Part : ActingBlock {
    Part()
        : ActingBlock(element_serial::declaration, DataMode::Functional,
                      {{"port", 64'000'000'000, 0}})
    {
    }

    std::uint32_t prepare(std::uint8_t opcode, const levee_es_operation& op,
                          const std::function<void(Operation&)>& what)
    {
        return with(opcode, op, [&](const levee_descriptor&, Operation& operation) {
            serial.read(queue, opcode);
            what(operation);
        });
    }

    /// A softmax of two groups with three rows of 40 FP16 each.
    levee_es_operation six_vectors()
    {
        levee_es_operation op{};
        op.outer[0] = 1;
        op.outer[1] = 2;
        op.rows = 3;
        op.group = 1;
        op.n = 40;
        op.function = static_cast<std::uint8_t>(Function::Softmax);
        op.x_type = LEVEE_TYPE_FP16;
        op.param = 1.0f;
        op.x = take(512);
        op.out = take(512);
        op.statistics = take(512);
        op.x_stride[1] = op.out_stride[1] = 240;
        op.x_stride[2] = op.out_stride[2] = 80;
        op.statistics_stride[1] = 3 * sizeof(levee_es_statistics);
        op.statistics_stride[2] = sizeof(levee_es_statistics);
        return op;
    }

    SerialOperation serial;
    VectorTraffic traffic{queue, serial};
};

} // namespace

TEST_CASE("an operation's rows see the elements that lengths, causality and window leave")
{
    Part part;
    part.run([&] {
        levee_es_operation op = part.six_vectors();
        op.lengths = part.put<std::uint32_t>({5, 40});
        op.lengths_stride[1] = 4;
        op.flags = LEVEE_ES_CAUSAL;
        CHECK(part.prepare(LEVEE_ES_REDUCE, op, [&](Operation&) {
            CHECK(part.serial.vectors() == 6);
            CHECK(part.serial.longest() == 40);
            CHECK(part.serial.seen(0, 0).count == 3);
            CHECK(part.serial.seen(0, 2).count == 5);
            const SerialCost cost = part.serial.cost(tile);
            CHECK(cost.vectors == 6);
            CHECK(cost.elements == 3 + 4 + 5 + 38 + 39 + 40);
            CHECK(cost.tiles == 3 + 3 * 2);
        }) == LEVEE_ERROR_NONE);
        op.window = 4;
        CHECK(part.prepare(LEVEE_ES_REDUCE, op, [&](Operation&) {
            CHECK(part.serial.seen(0, 0).first == 0);
            CHECK(part.serial.seen(1, 2).first == 36);
            CHECK(part.serial.seen(1, 2).count == 4);
            CHECK(part.serial.cost(tile).elements == 3 + 5 * 4);
        }) == LEVEE_ERROR_NONE);
        op.lengths = part.put<std::uint32_t>({5, 41});
        CHECK(part.prepare(LEVEE_ES_REDUCE, op, [](Operation&) {}) == LEVEE_ERROR_FIELD);
        CHECK(part.error_field == operation_field(offsetof(levee_es_operation, lengths)));
        // With a length of 2, the first of three causal rows would see no element.
        op.lengths = part.put<std::uint32_t>({2, 40});
        CHECK(part.prepare(LEVEE_ES_REDUCE, op, [](Operation&) {}) == LEVEE_ERROR_FIELD);
        CHECK(part.error_field == operation_field(offsetof(levee_es_operation, rows)));
    });
}

TEST_CASE("an operation's streams carry valid elements, and shared operands once per vector")
{
    Part part;
    part.run([&] {
        levee_es_operation op = part.six_vectors();
        op.function = static_cast<std::uint8_t>(Function::RmsNorm);
        op.gain = part.put(std::vector<float>(40, 1.5f));
        const auto bytes = [&](std::uint8_t opcode) {
            std::uint64_t all = 0;
            CHECK(part.prepare(opcode, op, [&](Operation& operation) {
                part.traffic.open(operation, part.serial.cost(tile));
                for (const FlowUse& use : operation.job.activity.uses)
                    all += use.bytes;
            }) == LEVEE_ERROR_NONE);
            return all / 2; // Each byte passes the link and the memory.
        };
        const std::uint64_t vectors = 6 * 80, statistics = 6 * sizeof(levee_es_statistics);
        CHECK(bytes(LEVEE_ES_NORMALISE) == 2 * vectors + statistics + 6 * 40 * sizeof(float));
        CHECK(part.traffic.gain() == std::vector<float>(40, 1.5f));
        CHECK(part.traffic.bias().empty());
        op.gain = 0;
        op.out = LEVEE_STREAM(1); // The system has only one port.
        CHECK(part.prepare(LEVEE_ES_NORMALISE, op, [&](Operation& operation) {
            part.traffic.open(operation, part.serial.cost(tile));
        }) == LEVEE_ERROR_STREAM);
        CHECK(part.error_field == operation_field(offsetof(levee_es_operation, out)));
    });
}
