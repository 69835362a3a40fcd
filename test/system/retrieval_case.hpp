// SPDX-License-Identifier: Apache-2.0
/// Retrieval as a scenario configures it, and a reference that attends to the slots that retrieval
/// selects.
#pragma once

#include "ip/cam/model.hpp"
#include "test/reference/composed_transformer.hpp"
#include "test/system/kelle_case.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

namespace levee::test {

/// The retrieval policy, for both the scenario and the reference.
struct Retrieval {
    std::uint8_t bits = 4;
    levee_cam_distance distance = LEVEE_CAM_L2_PRODUCT;
    levee_cam_merge merge = LEVEE_CAM_LEAST;
    float range = 0;
    std::uint32_t top_k = 12; ///< 0: a quarter of the tokens
};

inline std::string yaml(const Retrieval& retrieval)
{
    const char* const distances[] = {"hamming", "l2", "product"};
    return ", retrieval: {bits: " + std::to_string(retrieval.bits) +
           ", distance: " + distances[retrieval.distance] +
           ", merge: " + (retrieval.merge == LEVEE_CAM_SUM ? "sum" : "least") +
           ", range: " + std::to_string(retrieval.range) +
           (retrieval.top_k != 0 ? ", top_k: " + std::to_string(retrieval.top_k)
                                 : std::string(", ratio: 0.25")) +
           "}";
}

inline const std::string cam_block =
    "    cam: {type: cam, rows: 64, columns: 40, arrays: 2048, cell_bits: 4, "
    "write_cycles: 10, search_cycles: 4";

/// Returns the slots nearest to the queries, as ip/cam/README.md defines them.
inline std::vector<std::uint32_t> nearest_slots(const Retrieval& retrieval,
                                                std::span<const QuantisedVector> queries,
                                                const CacheSlice& keys)
{
    const auto n = static_cast<std::uint32_t>(queries[0].codes.size());
    const cam::Format format{n, retrieval.bits, retrieval.distance, retrieval.range};
    const std::size_t tokens = keys.scales.size();
    std::vector<double> distances(tokens);
    std::vector<std::uint8_t> key(cells(format)), query(cells(format));
    for (std::size_t slot = 0; slot < tokens; ++slot) {
        store(format, std::span(keys.codes).subspan(slot * n, n), keys.scales[slot], key);
        std::uint32_t merged = retrieval.merge == LEVEE_CAM_SUM ? 0 : UINT32_MAX;
        for (const QuantisedVector& one : queries) {
            ask(format, one.codes, query);
            const std::uint32_t distance = cam::distance(format, key, query);
            merged =
                retrieval.merge == LEVEE_CAM_SUM ? merged + distance : std::min(merged, distance);
        }
        distances[slot] = merged;
    }
    return cam::nearest(distances, retrieval.top_k != 0 ? retrieval.top_k : (tokens + 3) / 4);
}

/// Compares every logits vector of the run. Prompts are prefilled whole or in chunks, with dense
/// attention.
inline void check_listed(const KelleCase& kelle, const Retrieval& retrieval, const KelleRun& seen)
{
    const ModelImage image = ModelImage::open(kelle.image);
    const std::size_t vocab = image.shape().vocab, count = kelle.prompts.size();
    const auto generated = seen.results.at("tokens").get<std::vector<Ids>>();
    // The reference executes a prefill without tiles, not a decode step.
    const std::size_t whole = SIZE_MAX / 4;
    const std::size_t stated = seen.count("prefill.key_tile");
    REQUIRE(seen.logits.size() == vocab * count * kelle.new_tokens);
    for (std::size_t s = 0; s < count; ++s) {
        ComposedTransformer reference(image, 16, 16, kelle.hadamard);
        reference.attended = [&](std::uint32_t, std::uint32_t,
                                 std::span<const QuantisedVector> queries, const CacheSlice& keys) {
            return nearest_slots(retrieval, queries, keys);
        };
        std::vector<float> logits;
        for (const std::uint32_t token : kelle.prompts[s])
            logits = reference.step(token, stated != 0 ? stated : whole);
        for (std::uint32_t step = 0; step < kelle.new_tokens; ++step) {
            INFO("sequence " << s << ", new token " << step);
            const std::size_t index = step * count + s;
            REQUIRE(std::memcmp(&seen.logits[index * vocab], logits.data(),
                                vocab * sizeof(float)) == 0);
            if (step + 1 < kelle.new_tokens)
                logits = reference.step(generated[s][step]);
        }
    }
}

} // namespace levee::test
