// SPDX-License-Identifier: Apache-2.0
// A system with two small core components, layers shaped like OPT's, and a memory.
#pragma once

#include "core/abi/model_image.h"
#include "core/numerics/numerics.hpp"
#include "ip/cim/module.hpp"
#include "test/unit/blocks/bench.hpp"
#include "test/unit/cim/titanus.hpp"

#include <cmath>

namespace levee::test {

struct CoresSystem : Bench {
    static constexpr std::uint32_t dim = 32, hidden = 64, heads = 4, d = 8, layers = 2, slots = 12;

    static constexpr std::uint64_t weights_base = 0x50'0000'0000, weights_bytes = 1 << 20;

    static cim::Config config_of(cim::Pipeline pipeline)
    {
        cim::Config config;
        config.clock = {200'000'000};
        config.cores = layers;
        config.units = titanus_units(dim, heads, 1);
        config.units.feed_forward = hidden;
        config.pipeline = pipeline;
        config.queue = queue_config;
        return config;
    }

    static cim::Config changed(cim::Config config, const std::function<void(cim::Config&)>& change)
    {
        if (change)
            change(config);
        return config;
    }

    cim::Config config;
    cim::Cim cim, other; ///< Both components hold the same layers, so that one can stream to the
                         ///< other.
    levee_cim_model model{};
    std::vector<std::int8_t> weights[layers][LEVEE_CIM_MATRICES];
    std::vector<float> scales[layers][LEVEE_CIM_MATRICES];

    /// `change` modifies the configuration. `macro` replaces the part of `cim` that multiplies.
    explicit CoresSystem(cim::Pipeline pipeline = cim::Pipeline::None,
                         DataMode data = DataMode::Functional,
                         const std::function<void(cim::Config&)>& change = nullptr,
                         std::unique_ptr<cim_macro::Engine> macro = nullptr)
        : Bench("bench", {{"port", 64'000'000'000, 0}}, 1'024'000'000'000),
          config(changed(config_of(pipeline), change)),
          cim("cim", config, Fabric{flows, sync, streams, data, {}}, std::move(macro)),
          other("other", config, Fabric{flows, sync, streams, data, {}})
    {
        connect(cim.queue);
        connect(other.queue);
        for (unsigned i = 0; i < 2; ++i) { // The weights are at addresses that no test reads.
            bus.targets.bind((i == 0 ? cim : other).port);
            bus.map({i == 0 ? "weights" : "others", weights_base + i * weights_bytes, weights_bytes,
                     4 + i, 0});
        }
        std::vector<levee_cim_layer> records(layers);
        for (std::uint32_t layer = 0; layer < layers; ++layer)
            fill(layer, records[layer]);
        model.layers = put(records);
        model.layer_count = layers;
        model.dim = dim;
        model.hidden = hidden;
        model.heads = model.kv_heads = heads;
        model.head_dim = d;
        model.norm = LEVEE_NORM_LAYER;
        model.activation = LEVEE_ACTIVATION_RELU;
        model.position = LEVEE_POSITION_LEARNED;
        model.norm_epsilon = 1e-5f;
        model.score_scale = 1.0f / std::sqrt(static_cast<float>(d));
    }

    float number() { return unit_interval(random_word(7, 1, draws_++)) * 2 - 1; }
    std::vector<float> numbers(std::size_t count)
    {
        std::vector<float> values(count);
        for (float& value : values)
            value = number();
        return values;
    }

    void fill(std::uint32_t layer, levee_cim_layer& record)
    {
        const std::uint32_t rows[] = {3 * dim, dim, hidden, dim},
                            columns[] = {dim, dim, dim, hidden};
        for (std::uint32_t i = 0; i < LEVEE_CIM_MATRICES; ++i) {
            std::vector<std::int8_t>& matrix = weights[layer][i];
            for (std::uint32_t k = 0; k < rows[i] * columns[i]; ++k)
                matrix.push_back(static_cast<std::int8_t>(std::lround(number() * 127)));
            const std::span bytes(reinterpret_cast<const std::uint8_t*>(matrix.data()),
                                  matrix.size());
            const auto offset = config.offset_of(layer, static_cast<levee_cim_matrix>(i));
            cim.load(offset, bytes);
            other.load(offset, bytes);
            for (std::uint32_t row = 0; row < rows[i]; ++row)
                scales[layer][i].push_back(0.001f * (1 + std::abs(number())));
            record.scale[i] = put(scales[layer][i]);
            record.bias[i] = put(numbers(rows[i]));
        }
        for (unsigned i = 0; i < 2; ++i) {
            record.norm_gain[i] = put(numbers(dim));
            record.norm_bias[i] = put(numbers(dim));
        }
    }

    /// The cache of all layers, for one sequence.
    struct Cache {
        std::uint64_t keys, values, key_scales, value_scales;
    };
    Cache new_cache()
    {
        const std::uint64_t vectors = layers * heads * slots;
        return {take(vectors * d * 2), take(vectors * d * 2), take(vectors * 4), take(vectors * 4)};
    }
    std::vector<std::uint8_t> bytes_of(const Cache& cache)
    {
        const std::size_t vectors = layers * heads * slots;
        auto all = get<std::uint8_t>(cache.keys, vectors * d * 2);
        const auto add = [&](std::uint64_t address, std::size_t bytes) {
            const auto more = get<std::uint8_t>(address, bytes);
            all.insert(all.end(), more.begin(), more.end());
        };
        add(cache.values, vectors * d * 2);
        add(cache.key_scales, vectors * 4);
        add(cache.value_scales, vectors * 4);
        return all;
    }

    levee_cim_operation layer_of(const Cache& cache, std::uint64_t x, std::uint64_t out,
                                 std::uint32_t rows, std::uint32_t length)
    {
        levee_cim_operation op{};
        op.x = x;
        op.out = out;
        op.model = put(std::vector{model});
        op.lengths = put(std::vector{length});
        op.keys = cache.keys;
        op.values = cache.values;
        op.key_scales = cache.key_scales;
        op.value_scales = cache.value_scales;
        op.kv_layer = heads * slots * d * 2;
        op.kv_head = slots * d * 2;
        op.scale_layer = heads * slots * 4;
        op.scale_head = slots * 4;
        op.entries = 1;
        op.rows = rows;
        op.layers = layers;
        return op;
    }

    /// Executes the operation and returns the time from the doorbell to the completion signal.
    Picoseconds duration(const levee_cim_operation& op)
    {
        levee_descriptor descriptor = describe(LEVEE_CIM_LAYER, op);
        descriptor.signal_counter[0] = 0;
        descriptor.signal_add[0] = 1;
        const std::uint32_t before = sync.value(0);
        submit(0, {descriptor});
        const Picoseconds begun = sc_core::sc_time_stamp().value();
        while (sync.value(0) == before)
            sc_core::wait(sync.changed(0));
        return sc_core::sc_time_stamp().value() - begun;
    }

private:
    std::uint64_t draws_ = 0;
};

} // namespace levee::test
