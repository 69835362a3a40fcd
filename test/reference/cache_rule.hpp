// SPDX-License-Identifier: Apache-2.0
// Decides which tokens stay in a cache of limited size; keys and values do not matter. Runs the
// references of the systolic evictor and the voting engine on the probabilities of one layer of one
// sequence.
#pragma once

#include "core/abi/boot_info.h"
#include "ip/kv_tables/model.hpp"
#include "ip/voting_engine/model.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace levee::test {

// Tables of one layer of one sequence.
struct CacheTables {
    kv_tables::Entry tables;          // Tables with an element for each slot.
    std::vector<std::uint16_t> votes; // For policy voting: the votes by slot, and the tokens in the
                                      // slots.
    std::vector<std::uint32_t> positions;
};

// Probabilities that the queries of one KV head give to the tokens that they see: [group * rows].
// The members of the group follow one another, each with all its rows.
using Given = std::vector<std::vector<float>>;

struct CacheRule {
    levee_kv_policy policy{};                     // Policy as the platform passes it to the
                                                  // firmware.
    levee_kv_voting voting{};                     // Parameters of policy voting.
    std::uint32_t seed = 0;                       // Seed of policy random.
    std::uint32_t draw = LEVEE_KV_DRAW_VICTIM;    // For policy random: enum levee_kv_draw.
    kv_tables::Ties ties = kv_tables::Ties::Slot; // How the evictor decides ties.

    std::vector<std::uint32_t> reach; // Window of each layer in tokens; 0 or missing: all tokens.

    bool votes() const { return policy.kind == LEVEE_KV_VOTING; }
    bool evicts() const { return policy.kind != LEVEE_KV_FULL; }
    std::uint32_t reach_of(std::uint32_t layer) const
    {
        return layer < reach.size() ? reach[layer] : 0;
    }

    // Adds the importance from a prefill pass. The pass has `rows` tokens, the first at `position`.
    // Each gives the probabilities `given` [kv_head] to the tokens up to itself. Importance is
    // added in tiles of `query_tile` rows (0: all at once).
    void count(std::uint32_t layer, std::span<const Given> given, std::uint32_t position,
               std::uint32_t rows, std::uint32_t query_tile, CacheTables& cache) const;
    // Selects which tokens of a prefill to keep. Fills `gather` and `next` of every head of `kept`.
    void select(std::uint32_t layer, const CacheTables& staged, CacheTables& kept) const;
    // Executes a decode step and selects the victim for the next token. The token at `position` is
    // in the slots `arrival` [kv_head] of `length`. `given` [kv_head] has one row for each member
    // of the group, in sequence.
    void step(std::uint32_t layer, std::uint32_t position, std::uint32_t length,
              std::span<const std::uint32_t> arrival, std::span<const std::vector<float>> given,
              CacheTables& cache) const;

private:
    // Every policy except voting uses the evictor, with the policy's own windows
    // (firmware/cache/policy.h).
    kv_tables::Policy evictor_policy(std::uint32_t layer) const;
    bool counts_scores() const
    {
        return policy.kind != LEVEE_KV_STREAMING && policy.kind != LEVEE_KV_RANDOM;
    }
    // `seen` is the number of valid elements at the end of a vector; 0: all.
    void cast_votes(std::span<const Given> given, std::uint32_t position, std::uint32_t rows,
                    std::uint32_t seen, CacheTables& cache) const;
    void step_votes(std::uint32_t layer, std::uint32_t position, std::uint32_t length,
                    std::uint32_t arrival, std::span<const std::vector<float>> given,
                    CacheTables& cache) const;
    void evict(std::uint32_t layer, std::uint32_t position, std::uint32_t length,
               std::span<const std::uint32_t> arrival, std::span<const std::vector<float>> given,
               CacheTables& cache) const;
    // Adds the importance that rows [first, first + rows) give, in a pass that begins at
    // `position`.
    void add_importance(const Given& given, std::uint32_t group, std::uint32_t position,
                        std::uint32_t first, std::uint32_t rows,
                        std::vector<std::uint16_t>& importance) const;
};

} // namespace levee::test
