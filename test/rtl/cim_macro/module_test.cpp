// SPDX-License-Identifier: Apache-2.0
// Tests the macro in a system, with its reference or its RTL: products in memory, nine cycles per
// vector, reports of differences, and refused operations.
#include "core/numerics/numerics.hpp"
#include "core/rtl/rtl_clock.hpp"
#include "ip/cim_macro/module.hpp"
#include "ip/cim_macro/pins.hpp"
#include "ip/cim_macro/rtl.hpp"
#include "ip/cim_macro/tiles.hpp"
#include "test/rtl/cosim.hpp"
#include "test/rtl/pins_decorator.hpp"
#include "test/support/bad_operation.hpp"
#include "test/unit/blocks/bench.hpp"

#include <tuple>

namespace {

using namespace levee;
using namespace levee::test;
using cim_macro::RtlEngine;
using Op = levee_cim_macro_operation;

constexpr cim_macro::Shape shape{16, 4};
constexpr Picoseconds cycle = 5000; // The clock has 200 MHz.

struct MacroSystem : Bench {
    RtlEngine* engine = nullptr;
    cim_macro::CimMacro macro;

    explicit MacroSystem(std::unique_ptr<RtlEngine> hardware = nullptr)
        : Bench("bench", {}, 256'000'000'000), engine(hardware.get()),
          macro("macro", {Clock{200'000'000}, shape, queue_config}, fabric, std::move(hardware))
    {
        connect(macro.queue);
    }

    Op load(std::uint32_t seed)
    {
        weights.resize(std::size_t{shape.inputs} * shape.outputs);
        for (std::size_t i = 0; i < weights.size(); ++i)
            weights[i] = static_cast<std::int8_t>(random_word(seed, 0, i));
        Op op{};
        op.data = put(weights);
        op.stride = static_cast<std::int32_t>(shape.outputs);
        return op;
    }
    /// Returns a product of `count` vectors.
    Op product(std::uint32_t seed, std::uint32_t count, bool wide)
    {
        vectors.resize(std::size_t{count} * shape.inputs);
        std::vector<std::int8_t> bytes(vectors.size());
        for (std::size_t i = 0; i < vectors.size(); ++i) {
            vectors[i] = static_cast<std::int16_t>(random_word(seed, 1, i));
            if (!wide)
                bytes[i] = static_cast<std::int8_t>(vectors[i]), vectors[i] = bytes[i];
        }
        Op op{};
        op.data = wide ? put(vectors) : put(bytes);
        op.stride = static_cast<std::int32_t>(shape.inputs * (wide ? 2 : 1));
        op.type = wide ? LEVEE_TYPE_INT16 : LEVEE_TYPE_INT8;
        op.count = count;
        op.out_stride = static_cast<std::int32_t>(4 * shape.outputs);
        op.out = take(std::uint64_t{count} * shape.outputs * 4);
        return op;
    }
    std::vector<std::int32_t> expected() const
    {
        std::vector<std::int32_t> all;
        for (std::size_t at = 0; at < vectors.size(); at += shape.inputs)
            for (std::size_t o = 0; o < shape.outputs; ++o) {
                std::int32_t sum = 0;
                for (std::size_t i = 0; i < shape.inputs; ++i)
                    sum += vectors[at + i] * weights[i * shape.outputs + o];
                all.push_back(sum);
            }
        return all;
    }
    void check_products()
    {
        run([&] {
            const std::uint64_t start = mark();
            for (std::uint32_t seed = 0; seed < 60; ++seed) {
                INFO("seed " << seed);
                release(start);
                if (seed % 3 == 0) // Two of three rounds keep the previous weights.
                    REQUIRE(execute(0, describe(LEVEE_CIM_MACRO_LOAD, load(seed))) ==
                            LEVEE_ERROR_NONE);
                const Op op = product(seed, 1 + seed % 5, seed % 2 == 0);
                REQUIRE(execute(0, describe(LEVEE_CIM_MACRO_PRODUCT, op)) == LEVEE_ERROR_NONE);
                CHECK(get<std::int32_t>(op.out, expected().size()) == expected());
            }
        });
    }

    std::vector<std::int8_t> weights;
    std::vector<std::int16_t> vectors;
};

std::unique_ptr<RtlEngine> hardware(RtlEngine::Mode mode)
{
    return std::make_unique<RtlEngine>("system.macro", cim_macro::designs()[1].make, mode);
}

/// A design with one sum that is too large by one.
constexpr cim_macro::MakePins faulty =
    make_spoiled<cim_macro::Ports, 1,
                 [](cim_macro::Outputs& out) { out.sums[2] += out.out_valid ? 1 : 0; }>;

} // namespace

TEST_CASE("products in memory with resident weights are exact")
{
    MacroSystem().check_products();
}

TEST_CASE("RTL in the macro's place gives the same products")
{
    MacroSystem system(hardware(RtlEngine::Mode::Rtl));
    system.check_products();
    check_runs(*system.engine);
}

TEST_CASE("lockstep agrees, in the cycles of the timing rule")
{
    MacroSystem system(hardware(RtlEngine::Mode::Lockstep));
    system.check_products();
    check_agrees(*system.engine);
}

TEST_CASE("time by hand: nine cycles per 8-bit vector, eighteen per 16-bit vector, one per row")
{
    MacroSystem system;
    system.run([&] {
        const auto time = [&](std::uint8_t opcode, const Op& op) {
            levee_descriptor descriptor = describe(opcode, op);
            descriptor.signal_counter[0] = 0;
            descriptor.signal_add[0] = 1;
            const std::uint32_t before = system.sync.value(0);
            system.submit(0, {descriptor});
            const Picoseconds begun = now_ps() - hop;
            while (system.sync.value(0) == before)
                sc_core::wait(system.sync.changed(0));
            const Picoseconds taken = now_ps() - begun;
            CHECK(system.settle(0));
            return taken - fetch - hop - memory_latency;
        };
        CHECK(time(LEVEE_CIM_MACRO_LOAD, system.load(1)) == 16 * cycle);
        CHECK(time(LEVEE_CIM_MACRO_PRODUCT, system.product(1, 7, false)) == 7 * 9 * cycle);
        CHECK(time(LEVEE_CIM_MACRO_PRODUCT, system.product(1, 7, true)) == 7 * 18 * cycle);
        CHECK(figure(system.macro, "macs") == 7 * 16 * 4 * (1 + 2));
        CHECK(figure(system.macro, "vectors") == 14);
    });
}

TEST_CASE("clocked in simulated time, rows pass only once, while they are loaded")
{
    MacroSystem system(hardware(RtlEngine::Mode::Cycle));
    const RtlClock clock("clock", system.macro.queue, *system.engine);
    system.run([&] {
        const auto cycles = [&](std::uint8_t opcode, const Op& op) {
            const std::uint64_t before = clock.figures().cycles;
            REQUIRE(system.execute(0, describe(opcode, op)) == LEVEE_ERROR_NONE);
            return clock.figures().cycles - before;
        };
        for (std::uint32_t seed = 0; seed < 3; ++seed) {
            CHECK(cycles(LEVEE_CIM_MACRO_LOAD, system.load(seed)) == 16 + 2);
            for (const bool wide : {false, true}) {
                const Op op = system.product(seed, 7, wide);
                CHECK(cycles(LEVEE_CIM_MACRO_PRODUCT, op) <= 7 * (wide ? 18 : 9) + 2);
                CHECK(system.get<std::int32_t>(op.out, 28) == system.expected());
            }
        }
    });
    CHECK(clock.figures().most_late_cycles <= 2);
    CHECK(system.engine->comparisons() > 0);
}

TEST_CASE("lockstep stops at the first wrong sum, names it and writes waves that end there")
{
    RtlEngine engine("system.macro", faulty, RtlEngine::Mode::Lockstep);
    engine.load(std::vector<std::int8_t>(64, 3));
    const std::vector<std::vector<std::int16_t>> vectors(2, std::vector<std::int16_t>(16, 5));
    CHECK_THROWS_AS(engine.multiply(vectors, cim_macro::InputType::Int8), LockstepDifference);
    REQUIRE(engine.failure());
    CHECK(engine.failure()->difference.signal == "out_sums_o");
    CHECK(engine.failure()->difference.where == "output 2, vector 0 of job 0");
    CHECK(engine.failure()->difference.expected == "240");
    CHECK(engine.failure()->difference.got == "241");
    check_waves(engine, "macro");
}

namespace {

using Bad = levee::test::BadOperation<Op>;

constexpr std::uint8_t load = LEVEE_CIM_MACRO_LOAD, product = LEVEE_CIM_MACRO_PRODUCT;
const std::vector<Bad> bad_operations{
    {load, [](Op& o) { o.data = 0; }, LEVEE_ERROR_ADDRESS, offsetof(Op, data)},
    {load, [](Op& o) { o.reserved[1] = 1; }, LEVEE_ERROR_FIELD, offsetof(Op, reserved)},
    {product, [](Op& o) { o.count = 0; }, LEVEE_ERROR_FIELD, offsetof(Op, count)},
    {product, [](Op& o) { o.type = LEVEE_TYPE_FP32; }, LEVEE_ERROR_FIELD, offsetof(Op, type)},
    {product, [](Op& o) { o.data += 1; }, LEVEE_ERROR_ADDRESS, offsetof(Op, data)},
    {product, [](Op& o) { o.stride += 1; }, LEVEE_ERROR_ADDRESS, offsetof(Op, stride)},
    {product, [](Op& o) { o.out = 0; }, LEVEE_ERROR_ADDRESS, offsetof(Op, out)},
    {product, [](Op& o) { o.out_stride = 6; }, LEVEE_ERROR_ADDRESS, offsetof(Op, out_stride)},
    {product, [](Op& o) { o.data = 0x70'0000'0000; }, LEVEE_ERROR_ADDRESS, offsetof(Op, data)},
};

} // namespace

TEST_CASE("operations that the macro does not support are refused by field")
{
    MacroSystem system;
    system.run([&] {
        const auto refuses = [&](std::uint8_t opcode, const Op& op, std::uint32_t code,
                                 std::size_t member) {
            CHECK(system.execute(0, describe(opcode, op)) == code);
            CHECK(system.reg(0, LEVEE_CMD_ERROR_FIELD) == operation_field(member));
            system.set_reg(0, LEVEE_CMD_CONTROL, LEVEE_CMD_CONTROL_RESET);
        };
        const Op vectors = system.product(1, 2, true), rows = system.load(1);
        // No weights are loaded yet.
        refuses(product, vectors, LEVEE_ERROR_FIELD, offsetof(Op, data));
        REQUIRE(system.execute(0, describe(load, rows)) == LEVEE_ERROR_NONE);
        for (std::size_t i = 0; i < bad_operations.size(); ++i) {
            INFO("bad operation " << i);
            Op op = bad_operations[i].opcode == load ? rows : vectors;
            bad_operations[i].spoil(op);
            refuses(bad_operations[i].opcode, op, bad_operations[i].code, bad_operations[i].member);
        }
        CHECK(system.execute(0, describe(3, rows)) == LEVEE_ERROR_OPCODE);
    });
}

namespace {

/// Two macros with one output each. The first has the maximum number of 16-bit inputs, the second
/// one input more.
struct LongColumns : Bench {
    static constexpr std::uint32_t inputs[] = {cim_macro::most_wide_inputs,
                                               cim_macro::most_wide_inputs + 1};
    cim_macro::CimMacro most{"most", {Clock{200'000'000}, {inputs[0], 1}, queue_config}, fabric};
    cim_macro::CimMacro more{"more", {Clock{200'000'000}, {inputs[1], 1}, queue_config}, fabric};

    LongColumns() : Bench("bench")
    {
        connect(most.queue);
        connect(more.queue);
    }
    /// Returns an operation on one vector at `data`.
    Op vector(std::uint64_t data, levee_type type)
    {
        Op op{};
        op.count = 1;
        op.type = static_cast<std::uint8_t>(type);
        op.data = data;
        op.out = take(sizeof(std::int32_t));
        return op;
    }
};

} // namespace

TEST_CASE("inputs of 16 bits are refused if their sum may exceed INT32")
{
    LongColumns system;
    system.run([&] {
        for (const unsigned block : {0u, 1u}) {
            const std::uint32_t inputs = LongColumns::inputs[block];
            INFO(inputs << " inputs");
            Op rows{};
            rows.data = system.put(std::vector<std::int8_t>(inputs, -128));
            rows.stride = 1;
            REQUIRE(system.execute(block, describe(load, rows)) == LEVEE_ERROR_NONE);
            const Op narrow = system.vector(rows.data, LEVEE_TYPE_INT8);
            REQUIRE(system.execute(block, describe(product, narrow)) == LEVEE_ERROR_NONE);
            CHECK(system.get<std::int32_t>(narrow.out, 1)[0] ==
                  static_cast<std::int32_t>(inputs) * 128 * 128);
            const Op wide = system.vector(system.put(std::vector<std::int16_t>(inputs, -32768)),
                                          LEVEE_TYPE_INT16);
            const std::uint32_t error = system.execute(block, describe(product, wide));
            CHECK(error == (block == 0 ? LEVEE_ERROR_NONE : LEVEE_ERROR_FIELD));
            if (block == 0)
                CHECK(system.get<std::int32_t>(wide.out, 1)[0] == 511 * 32768 * 128);
            else
                CHECK(system.reg(1, LEVEE_CMD_ERROR_FIELD) == operation_field(offsetof(Op, type)));
        }
    });
}

TEST_CASE("a matrix larger than the macro is multiplied exactly, tile by tile in lockstep")
{
    RtlEngine engine("system.macro", cim_macro::designs()[1].make, RtlEngine::Mode::Lockstep);
    for (const auto& [inputs, outputs, count] :
         {std::tuple{16u, 4u, 1u}, {37u, 11u, 3u}, {5u, 1u, 2u}}) {
        INFO(inputs << " inputs, " << outputs << " outputs");
        const std::uint32_t row_bytes = inputs + 3; // The rows have padding.
        std::vector<std::int8_t> weights(std::size_t{outputs} * row_bytes);
        std::vector<std::int16_t> vectors(std::size_t{count} * inputs);
        for (std::size_t i = 0; i < weights.size(); ++i)
            weights[i] = static_cast<std::int8_t>(random_word(inputs, 0, i));
        for (std::size_t i = 0; i < vectors.size(); ++i)
            vectors[i] = static_cast<std::int16_t>(random_word(inputs, 1, i));
        const auto sums = cim_macro::multiply_tiles(engine, {weights, outputs, inputs, row_bytes},
                                                    vectors, cim_macro::InputType::Int16);
        REQUIRE(sums.size() == std::size_t{count} * outputs);
        for (std::size_t v = 0; v < count; ++v)
            for (std::size_t o = 0; o < outputs; ++o) {
                std::int64_t sum = 0;
                for (std::size_t i = 0; i < inputs; ++i)
                    sum += std::int64_t{vectors[v * inputs + i]} * weights[o * row_bytes + i];
                CHECK(sums[v * outputs + o] == sum);
            }
    }
    CHECK_FALSE(engine.failure());
}
