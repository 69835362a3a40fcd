// SPDX-License-Identifier: Apache-2.0
// Tests the cores as software uses them: resident weights, exact products, layers executed whole or
// in pieces, their times, and refused operations.
#include "ip/cim/declaration.hpp"
#include "ip/cim/kept_matrices.hpp"
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

namespace {

constexpr std::uint32_t tokens_in_all = 5;

/// The layers' results for some tokens, and the final contents of the cache.
struct Made {
    std::vector<float> x;
    std::vector<std::uint8_t> cached;

    bool operator==(const Made&) const = default;
};

/// Sends all tokens through some layers with one descriptor.
levee_cim_operation layers_of(CoresSystem& system, const CoresSystem::Cache& cache,
                              std::uint64_t from, std::uint64_t to, std::uint32_t first,
                              std::uint32_t count)
{
    auto op = system.layer_of(cache, from, to, tokens_in_all, tokens_in_all);
    op.layer = first;
    op.layers = count;
    op.keys += first * op.kv_layer;
    op.values += first * op.kv_layer;
    op.key_scales += first * op.scale_layer;
    op.value_scales += first * op.scale_layer;
    return op;
}

Made made(CoresSystem& system, const CoresSystem::Cache& cache, std::uint64_t x)
{
    return {system.get<float>(x, tokens_in_all * CoresSystem::dim), system.bytes_of(cache)};
}

Made at_once(CoresSystem& system, std::uint64_t from, std::uint64_t to)
{
    const auto cache = system.new_cache();
    const auto op = layers_of(system, cache, from, to, 0, CoresSystem::layers);
    REQUIRE(system.execute(0, describe(LEVEE_CIM_LAYER, op)) == LEVEE_ERROR_NONE);
    return made(system, cache, to);
}

/// Executes one descriptor for each token and layer.
Made one_by_one(CoresSystem& system, std::uint64_t from, std::uint64_t to)
{
    const auto cache = system.new_cache();
    for (std::uint32_t token = 0; token < tokens_in_all; ++token)
        for (std::uint32_t layer = 0; layer < CoresSystem::layers; ++layer) {
            const std::uint64_t at = token * CoresSystem::dim * sizeof(float);
            auto op = layers_of(system, cache, (layer == 0 ? from : to) + at, to + at, layer, 1);
            op.rows = 1;
            op.lengths = system.put(std::vector{token + 1});
            REQUIRE(system.execute(0, describe(LEVEE_CIM_LAYER, op)) == LEVEE_ERROR_NONE);
        }
    return made(system, cache, to);
}

/// The first cores write the first layer's tokens to a stream port, from which the other cores read
/// them.
Made from_core_to_core(CoresSystem& system, std::uint64_t from, std::uint64_t to)
{
    const auto cache = system.new_cache();
    const auto first = layers_of(system, cache, from, LEVEE_STREAM(0), 0, 1);
    const auto second = layers_of(system, cache, LEVEE_STREAM(0), to, 1, 1);
    system.submit(0, {describe(LEVEE_CIM_LAYER, first)});
    REQUIRE(system.execute(1, describe(LEVEE_CIM_LAYER, second)) == LEVEE_ERROR_NONE);
    return made(system, cache, to);
}

} // namespace

TEST_CASE("tokens at once, one by one and from core to core give the same bits")
{
    CoresSystem system;
    system.run([&] {
        const std::vector<float> x = system.numbers(tokens_in_all * CoresSystem::dim);
        const std::uint64_t from = system.put(x), to = system.put(x);
        const Made whole = at_once(system, from, to);
        CHECK(whole.x != x);
        CHECK(one_by_one(system, from, to) == whole);
        CHECK(from_core_to_core(system, from, to) == whole);
    });
}

TEST_CASE("a layer takes the cycles of its operations, then the time of its streams")
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
        // The streams move 4 x 128 B of x, in and out, and keys, values and scales of 2 layers x 4
        // heads x 4 x (32 + 8) B.
        const Picoseconds compute = static_cast<Picoseconds>(cycles * 5'000);
        CHECK(took > compute);
        // The rest of the time is the fetch, the hops, the latency, and 2 KB at 1 TB/s.
        CHECK(took < compute + 30'000);
    });
}

TEST_CASE("operations that cores cannot execute are refused by their wrong field")
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

TEST_CASE("matrices that do not fit into the macros are refused by name")
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
          "gets W_O of layer 1 with 32 outputs and 33 inputs; a core fits at most this many: 32 "
          "and 32");
    matrix.columns = 32;
    matrix.layer = 2;
    CHECK(
        what() ==
        "gets W_O of layer 2; it has 2 cores, each for one layer; expected a core for each layer");
    matrix.layer = 0;
    matrix.type = LEVEE_TYPE_INT4;
    CHECK(what() == "gets W_O of layer 0 with weights that are not INT8");
}

TEST_CASE("compressed keys and values move only non-zeros, bit map and labels")
{
    const auto measured = [](cim::Config& config) {
        config.statistics.emplace();
        config.statistics->compression = {0.338, 0.510, 0.405, 2.585};
        config.statistics->levels = {{12, 5}};
    };
    CoresSystem system(cim::Pipeline::None, DataMode::TimingOnly, measured);
    system.run([&] {
        const auto cache = system.new_cache();
        const std::uint64_t x = system.take(3 * CoresSystem::dim * 4);
        REQUIRE(system.execute(0, describe(LEVEE_CIM_LAYER, system.layer_of(cache, x, x, 3, 3))) ==
                LEVEE_ERROR_NONE);
        // A row has 64 elements. On average it stores codes for 31.36 of them at 2.585 bits, 64
        // bits of bit map, and 42.4 labels of 3 bits.
        const std::uint64_t row = 11 + 8 + 16;
        CHECK(figure(system.cim, "kv_bytes") == 2 * 3 * row);
        const std::uint64_t written = figure(system.memory, "write_bytes");
        const std::uint64_t read = figure(system.memory, "read_bytes");
        REQUIRE(system.execute(0, describe(LEVEE_CIM_LAYER, system.layer_of(cache, x, x, 1, 4))) ==
                LEVEE_ERROR_NONE);
        CHECK(figure(system.cim, "kv_bytes") == 2 * (3 + 1 + 3) * row);
        const std::uint64_t token = CoresSystem::dim * sizeof(float);
        // The test itself writes a model, a length and a descriptor.
        const std::uint64_t own = sizeof(levee_descriptor);
        CHECK(figure(system.memory, "write_bytes") == written + token + 2 * row + own);
        CHECK(figure(system.memory, "read_bytes") >= read + token + 2 * 3 * row);
    });
}
