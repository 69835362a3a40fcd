// SPDX-License-Identifier: Apache-2.0
/// Retrieval as a scenario says it, and which slots a reference then attends to.
#pragma once

#include "ip/cam/model.hpp"
#include "test/reference/transformer_parts.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace levee::test {

/// A policy as the scenario and the reference have it.
struct Retrieval {
    std::uint8_t bits = 4;
    levee_cam_distance distance = LEVEE_CAM_L2_PRODUCT;
    levee_cam_merge merge = LEVEE_CAM_LEAST;
    float range = 0;
    std::uint32_t top_k = 12; ///< 0: a quarter
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

/// The slots nearest to the queries, by the text of ip/cam/README.md.
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

} // namespace levee::test
