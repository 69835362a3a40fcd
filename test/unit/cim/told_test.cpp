// SPDX-License-Identifier: Apache-2.0
// Tests that cores keep the layer records and compressed rows that they have read, and refuse
// descriptors that disagree with them.
#include "test/unit/cim/cores_system.hpp"

using namespace levee;
using namespace levee::test;

namespace {

using Op = levee_cim_operation;
constexpr std::uint32_t prompt_tokens = 3;

/// Returns the first layer's results for two tokens.
std::vector<float> made_by(CoresSystem& system, const levee_cim_model& model,
                           const std::vector<float>& x)
{
    const auto cache = system.new_cache();
    Op op = system.layer_of(cache, system.put(x), system.take(2 * model.dim * 4), 2, 2);
    op.model = system.put(std::vector{model});
    op.layers = 1;
    REQUIRE(system.execute(0, describe(LEVEE_CIM_LAYER, op)) == LEVEE_ERROR_NONE);
    return system.get<float>(op.out, std::size_t{2} * model.dim);
}

/// Copies the layer records to an address from which no core has read.
levee_cim_model moved(CoresSystem& system, levee_cim_model model)
{
    model.layers = system.put(system.get<levee_cim_layer>(model.layers, CoresSystem::layers));
    return model;
}

} // namespace

TEST_CASE("a core that gets another model with the same layers reads everything again")
{
    CoresSystem system(cim::Pipeline::None, DataMode::Functional, [](cim::Config& config) {
        config.units.rotation = {1, 8, 1};
    });
    system.run([&] {
        const std::vector<float> x = system.numbers(2 * CoresSystem::dim);
        levee_cim_model narrow = system.model, rotated = system.model;
        narrow.dim = CoresSystem::dim / 2;
        rotated.position = LEVEE_POSITION_ROPE_HALVES;
        rotated.rope_phase =
            system.put(std::vector<std::uint32_t>(CoresSystem::d / 2, 0x1000'0000));
        const std::vector<levee_cim_model> models{system.model, narrow, system.model, rotated};
        std::vector<std::vector<float>> made;
        for (const levee_cim_model& model : models)
            made.push_back(made_by(system, model, x));
        for (std::size_t i = 0; i < models.size(); ++i) {
            INFO("model " << i);
            CHECK(made[i] == made_by(system, moved(system, models[i]), x));
        }
        CHECK(made[3] != made[0]);
    });
}

namespace {

/// Makes every sum 0.
struct SilentMacro : cim_macro::Engine {
    [[nodiscard]] cim_macro::Shape shape() const override { return {16, 8}; }
    void load(std::span<const std::int8_t>) override {}
    std::vector<std::vector<std::int32_t>>
    multiply(const std::vector<std::vector<std::int16_t>>& vectors, cim_macro::InputType) override
    {
        return {vectors.size(), std::vector<std::int32_t>(shape().outputs)};
    }
};

} // namespace

TEST_CASE("LINEAR multiplies by the macro, and its results contain the macro's faults")
{
    CoresSystem system(cim::Pipeline::None, DataMode::Functional, nullptr,
                       std::make_unique<SilentMacro>());
    system.run([&] {
        Op op{};
        op.x = system.put(system.numbers(CoresSystem::dim));
        op.out = system.take(CoresSystem::hidden * sizeof(float));
        op.model = system.put(std::vector{system.model});
        op.entries = op.layers = op.rows = 1;
        op.matrix = LEVEE_CIM_EXPAND;
        REQUIRE(system.execute(0, describe(LEVEE_CIM_LINEAR, op)) == LEVEE_ERROR_NONE);
        const auto record = system.get<levee_cim_layer>(system.model.layers, 1)[0];
        CHECK(system.get<float>(op.out, CoresSystem::hidden) ==
              system.get<float>(record.bias[LEVEE_CIM_EXPAND], CoresSystem::hidden));
    });
}

namespace {

/// The first layer's keys and values of a prompt, as plain vectors and as packed rows.
struct Packing {
    CoresSystem& system;
    levee_cim_packed packed{};
    Op vectors{}, prompt{}, next{}; ///< These are LAYER, COMPRESS, and LAYER with packed rows.

    explicit Packing(CoresSystem& bench) : system(bench)
    {
        constexpr std::uint32_t row = 64, slots = CoresSystem::slots;
        for (unsigned kind = 0; kind < 2; ++kind) {
            packed.rows[kind] = system.take(slots * row);
            packed.records[kind] = system.take(slots * sizeof(levee_cpq_record));
            packed.layer_step[kind] = packed.entry_step[kind] = slots * row;
            packed.row_bytes[kind] = row;
            packed.bits[kind] = 4;
        }
        packed.max_levels = 2;
        packed.tolerance = 0.125f;
        packed.thresholds = system.put(std::vector<float>(4, 0.01f));
        const auto cache = system.new_cache();
        const std::uint64_t x = system.put(system.numbers(prompt_tokens * CoresSystem::dim));
        const std::uint64_t out = system.take(prompt_tokens * CoresSystem::dim * 4);
        vectors = system.layer_of(cache, x, out, prompt_tokens, prompt_tokens);
        vectors.layers = 1;
        prompt = system.layer_of(cache, 0, 0, 1, prompt_tokens);
        prompt.layers = 1;
        prompt.packed = system.put(std::vector{packed});
        next = vectors;
        next.rows = 1;
        next.lengths = system.put(std::vector{prompt_tokens + 1});
        next.packed = prompt.packed;
    }
    void make_prompt(const Op& compress) const
    {
        REQUIRE(system.execute(0, describe(LEVEE_CIM_LAYER, vectors)) == LEVEE_ERROR_NONE);
        REQUIRE(system.execute(0, describe(LEVEE_CIM_COMPRESS, compress)) == LEVEE_ERROR_NONE);
    }
    /// Returns whether the operation is refused because of its field `packed`.
    [[nodiscard]] bool refuses(const Op& op) const
    {
        const std::uint32_t code = system.execute(0, describe(LEVEE_CIM_LAYER, op));
        const std::uint32_t field = system.reg(0, LEVEE_CMD_ERROR_FIELD);
        system.set_reg(0, LEVEE_CMD_CONTROL, LEVEE_CMD_CONTROL_RESET);
        return code == LEVEE_ERROR_FIELD && field == operation_field(offsetof(Op, packed));
    }
    [[nodiscard]] bool refuses_with(const std::function<void(levee_cim_packed&)>& change) const
    {
        levee_cim_packed other = packed;
        change(other);
        Op op = next;
        op.packed = system.put(std::vector{other});
        return refuses(op);
    }
    /// Limits the operation to one head of keys and values.
    [[nodiscard]] Op of_one_head(Op op) const
    {
        levee_cim_model model = system.model;
        model.kv_heads = 1;
        op.model = system.put(std::vector{model});
        return op;
    }
};

void with_scale_buffer(cim::Config& config)
{
    config.units.scale_buffer_bytes = 1 << 16;
}

} // namespace

TEST_CASE("packed rows are read only with the settings with which they were packed")
{
    CoresSystem system(cim::Pipeline::None, DataMode::Functional, with_scale_buffer);
    system.run([&] {
        const Packing packing(system);
        packing.make_prompt(packing.prompt);
        CHECK(packing.refuses_with([](levee_cim_packed& p) { p.row_bytes[0] = 0; }));
        // One row of 25 bytes does not fit.
        CHECK(packing.refuses_with([](levee_cim_packed& p) { p.row_bytes[1] = 24; }));
        CHECK(packing.refuses_with([](levee_cim_packed& p) { p.bits[1] = 3; }));
        CHECK(packing.refuses_with([](levee_cim_packed& p) { p.max_levels = 1; }));
        CHECK(packing.refuses_with([](levee_cim_packed& p) { p.tolerance = 0; }));
        CHECK(system.execute(0, describe(LEVEE_CIM_LAYER, packing.next)) == LEVEE_ERROR_NONE);
    });
}

TEST_CASE("packed rows of another number of channels are refused")
{
    CoresSystem system(cim::Pipeline::None, DataMode::Functional, with_scale_buffer);
    system.run([&] {
        const Packing packing(system);
        packing.make_prompt(packing.prompt);
        // The call also clears the tables.
        CHECK(packing.refuses(packing.of_one_head(packing.next)));
        CHECK(packing.refuses(packing.next));
        packing.make_prompt(packing.of_one_head(packing.prompt));
        CHECK(packing.refuses(packing.next));
        packing.make_prompt(packing.prompt);
        CHECK(system.execute(0, describe(LEVEE_CIM_LAYER, packing.next)) == LEVEE_ERROR_NONE);
    });
}
