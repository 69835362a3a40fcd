// SPDX-License-Identifier: Apache-2.0
// The cores as software drives them: weights that stay where they are, exact products, layers whole
// or piece by piece, their time and what they refuse.
#include "ip/cim/declaration.hpp"
#include "ip/cim/keeping.hpp"
#include "test/unit/cim/cores_system.hpp"

using namespace levee;
using namespace levee::test;

TEST_CASE("a product of resident weights is the exact sum, scaled row by row")
{
    CoresSystem system;
    system.run([&] {
        constexpr std::uint32_t dim = CoresSystem::dim, hidden = CoresSystem::hidden, vectors = 3;
        const std::vector<float> x = system.numbers(vectors * dim);
        levee_cim_operation op{};
        op.x = system.put(x);
        op.out = system.take(vectors * hidden * sizeof(float));
        op.model = system.put(std::vector{system.model});
        op.entries = op.layers = op.layer = 1;
        op.rows = vectors;
        op.matrix = LEVEE_CIM_EXPAND;
        REQUIRE(system.execute(0, describe(LEVEE_CIM_LINEAR, op)) == LEVEE_ERROR_NONE);
        const auto out = system.get<float>(op.out, vectors * hidden);
        const auto record = system.get<levee_cim_layer>(system.model.layers, 2)[1];
        const auto bias = system.get<float>(record.bias[LEVEE_CIM_EXPAND], hidden);
        for (std::uint32_t i = 0; i < vectors; ++i) {
            std::vector<std::int8_t> codes(dim);
            const float scale = quantise_int8(std::span(x).subspan(i * dim, dim), codes);
            for (std::uint32_t row = 0; row < hidden; ++row) {
                std::int32_t sum = 0;
                for (std::uint32_t k = 0; k < dim; ++k)
                    sum += codes[k] * system.weights[1][LEVEE_CIM_EXPAND][row * dim + k];
                const float expected =
                    static_cast<float>(sum) * scale * system.scales[1][LEVEE_CIM_EXPAND][row] +
                    bias[row];
                CHECK(out[i * hidden + row] == expected);
            }
        }
        CHECK(figure(system.cim, "macs") == vectors * dim * hidden);
    });
}

TEST_CASE("tokens at once, one by one and from core to core have the same bits")
{
    CoresSystem system;
    system.run([&] {
        constexpr std::uint32_t dim = CoresSystem::dim, tokens = 5;
        const std::uint64_t bytes = tokens * dim * sizeof(float);
        const std::vector<float> x = system.numbers(tokens * dim);
        const std::uint64_t from = system.put(x);
        // All tokens through both layers by one descriptor.
        const auto whole = system.new_cache();
        const std::uint64_t at_once = system.take(bytes);
        REQUIRE(system.execute(0, describe(LEVEE_CIM_LAYER, system.layer_of(whole, from, at_once,
                                                                            tokens, tokens))) ==
                LEVEE_ERROR_NONE);
        // Token by token and layer by layer.
        const auto pieces = system.new_cache();
        const std::uint64_t one_by_one = system.take(bytes);
        for (std::uint32_t token = 0; token < tokens; ++token)
            for (std::uint32_t layer = 0; layer < CoresSystem::layers; ++layer) {
                const std::uint64_t out = one_by_one + token * dim * sizeof(float);
                const std::uint64_t in = from + token * dim * sizeof(float);
                auto op = system.layer_of(pieces, layer == 0 ? in : out, out, 1, token + 1);
                op.layer = layer;
                op.layers = 1;
                op.keys += layer * op.kv_layer;
                op.values += layer * op.kv_layer;
                op.key_scales += layer * op.scale_layer;
                op.value_scales += layer * op.scale_layer;
                REQUIRE(system.execute(0, describe(LEVEE_CIM_LAYER, op)) == LEVEE_ERROR_NONE);
            }
        CHECK(system.get<float>(at_once, tokens * dim) ==
              system.get<float>(one_by_one, tokens * dim));
        CHECK(system.bytes_of(whole) == system.bytes_of(pieces));
        // The first layer's tokens to a stream port, from which the others' cores take them.
        const auto chained = system.new_cache();
        const std::uint64_t passed_on = system.take(bytes);
        auto first = system.layer_of(chained, from, LEVEE_STREAM(0), tokens, tokens);
        auto second = system.layer_of(chained, LEVEE_STREAM(0), passed_on, tokens, tokens);
        first.layers = second.layers = second.layer = 1;
        second.keys += second.kv_layer;
        second.values += second.kv_layer;
        second.key_scales += second.scale_layer;
        second.value_scales += second.scale_layer;
        system.submit(0, {describe(LEVEE_CIM_LAYER, first)});
        REQUIRE(system.execute(1, describe(LEVEE_CIM_LAYER, second)) == LEVEE_ERROR_NONE);
        CHECK(system.get<float>(at_once, tokens * dim) ==
              system.get<float>(passed_on, tokens * dim));
        CHECK(system.bytes_of(whole) == system.bytes_of(chained));
    });
}

TEST_CASE("a layer takes the cycles of its operations, and its streams after them")
{
    CoresSystem system;
    system.run([&] {
        constexpr std::uint32_t dim = CoresSystem::dim, heads = CoresSystem::heads;
        const auto cache = system.new_cache();
        const std::uint64_t x = system.put(system.numbers(4 * dim));
        const auto op = system.layer_of(cache, x, x, 4, 4);

        const Picoseconds took = system.duration(op);
        const cim::Timing timing(
            system.config.units,
            {dim, CoresSystem::hidden, CoresSystem::hidden, heads, heads, CoresSystem::d, false},
            nullptr, {});
        const double cycles = timing.cycles_of({4, 0}, cim::Pipeline::None, 2);
        // x in and out, 4 x 128 B; keys and values, and scales: 2 layers x 4 heads x 4 x (32 + 8)
        // B.
        const Picoseconds compute = static_cast<Picoseconds>(cycles * 5'000);
        CHECK(took > compute);
        CHECK(took < compute + 30'000); // fetch, hops, latency and 2 KB at 1 TB/s
    });
}

TEST_CASE("what cores cannot do is refused, by the field at fault")
{
    CoresSystem system;
    system.run([&] {
        const auto cache = system.new_cache();
        const std::uint64_t x = system.put(system.numbers(2 * CoresSystem::dim));
        const auto good = system.layer_of(cache, x, x, 2, 2);
        const auto refused = [&](auto change) {
            levee_cim_operation op = good;
            change(op);
            const std::uint32_t code = system.execute(0, describe(LEVEE_CIM_LAYER, op));
            const std::uint32_t field = system.reg(0, LEVEE_CMD_ERROR_FIELD);
            system.set_reg(0, LEVEE_CMD_CONTROL, LEVEE_CMD_CONTROL_RESET);
            CHECK(code == LEVEE_ERROR_FIELD);
            return field - offsetof(levee_descriptor, operation);
        };
        using Op = levee_cim_operation;
        CHECK(refused([](Op& op) { op.rows = 0; }) == offsetof(Op, rows));
        CHECK(refused([](Op& op) { op.entries = 0; }) == offsetof(Op, entries));
        CHECK(refused([](Op& op) { op.layer = 2; }) == offsetof(Op, layer));
        CHECK(refused([](Op& op) { op.layers = 3; }) == offsetof(Op, layers));
        CHECK(refused([](Op& op) { op.matrix = 1; }) == offsetof(Op, matrix));
        CHECK(refused([&](Op& op) { op.lengths = system.put(std::vector{1u}); }) ==
              offsetof(Op, lengths));
        const auto model = [&](auto change) {
            levee_cim_model other = system.model;
            change(other);
            return refused([&](Op& op) { op.model = system.put(std::vector{other}); });
        };
        CHECK(model([](levee_cim_model& m) { m.dim = 64; }) == offsetof(Op, model));
        CHECK(model([](levee_cim_model& m) { m.hidden = 65; }) == offsetof(Op, model));
        CHECK(model([](levee_cim_model& m) { m.rope_phase = 64; }) == offsetof(Op, model));
        CHECK(model([](levee_cim_model& m) { m.kv_heads = 3; }) == offsetof(Op, model));
        CHECK(system.execute(0, describe(LEVEE_CIM_LAYER, good)) == LEVEE_ERROR_NONE);
    });
}

TEST_CASE("matrices that macros have no room for are refused, and which")
{
    const cim::Config config = CoresSystem::config_of(cim::Pipeline::None);
    const std::vector<std::uint8_t> data(64 * 64);
    ModelMatrix matrix{LEVEE_TENSOR_WO, 1, LEVEE_TYPE_INT8, 32, 32, 32, data};
    std::uint64_t placed = 0;
    const StorageSink sink = [&](std::uint64_t, std::span<const std::uint8_t> bytes) {
        placed += bytes.size();
    };
    const KeptMatrices kept = cim::keep(config, std::span(&matrix, 1), sink);
    CHECK(placed == 32 * 32);
    REQUIRE(kept.records.size() == 1);
    levee_cim_kept record;
    std::memcpy(&record, kept.records[0].data(), sizeof record);
    CHECK(record.number == LEVEE_CIM_MATRICES + LEVEE_CIM_OUTPUT);
    const auto what = [&] {
        try {
            (void)cim::keep(config, std::span(&matrix, 1), sink);
        } catch (const std::invalid_argument& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    matrix.columns = 33;
    CHECK(what() ==
          "gets W_O of layer 1, 32 outputs of 33 inputs; a core's macros for it take 32 of 32");
    matrix.columns = 32;
    matrix.layer = 2;
    CHECK(what() == "gets W_O of layer 2; it has 2 cores, each for one layer");
    matrix.layer = 0;
    matrix.type = LEVEE_TYPE_INT4;
    CHECK(what() == "gets W_O of layer 0 with weights that are not INT8");
}
