// SPDX-License-Identifier: Apache-2.0
// Who stays in a cache of limited size, whatever its keys and values are: the systolic evictor's
// and the voting engine's references, fed with the probabilities of one layer of one sequence.
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
    kv_tables::Entry tables;          // the tables of slots
    std::vector<std::uint16_t> votes; // policy voting: by slot, and whose these are
    std::vector<std::uint32_t> positions;
};

// The attention of one KV head's queries to the tokens that they see: [group * rows], member by
// member of the group and row by row in each.
using Given = std::vector<std::vector<float>>;

struct CacheRule {
    levee_kv_policy policy{};                     // Policy as the platform passes it to firmware.
    levee_kv_voting voting{};                     // policy voting
    std::uint32_t seed = 0;                       // seed of policy random
    std::uint32_t draw = LEVEE_KV_DRAW_VICTIM;    // draw of policy random: enum levee_kv_draw
    kv_tables::Ties ties = kv_tables::Ties::Slot; // ties of the evictor

    std::vector<std::uint32_t> reach; // Number of attended tokens by layer; 0 or none: all.

    bool votes() const { return policy.kind == LEVEE_KV_VOTING; }
    bool evicts() const { return policy.kind != LEVEE_KV_FULL; }
    std::uint32_t reach_of(std::uint32_t layer) const
    {
        return layer < reach.size() ? reach[layer] : 0;
    }

    // A prefill pass: `given` [kv_head] by its `rows` tokens, the first at `position`, each of
    // which sees the tokens up to its own. Importance is added tile by tile of `query_tile` rows
    // (0: all at once).
    void count(std::uint32_t layer, std::span<const Given> given, std::uint32_t position,
               std::uint32_t rows, std::uint32_t query_tile, CacheTables& cache) const;
    // The tokens of a prefill that stay: `gather` and `next` of every head of `kept`.
    void select(std::uint32_t layer, const CacheTables& staged, CacheTables& kept) const;
    // A decode step: the token at `position` is in the slots `arrival` [kv_head] of `length`; who
    // leaves for the next one. `given` [kv_head]: one row for each member of the group, in
    // sequence.
    void step(std::uint32_t layer, std::uint32_t position, std::uint32_t length,
              std::span<const std::uint32_t> arrival, std::span<const std::vector<float>> given,
              CacheTables& cache) const;

private:
    // Every policy but voting is the evictor's, with windows of its own (firmware/cache/policy.h).
    kv_tables::Policy evictor_policy(std::uint32_t layer) const;
    bool counts_scores() const
    {
        return policy.kind != LEVEE_KV_STREAMING && policy.kind != LEVEE_KV_RANDOM;
    }
    // `seen`: elements at the end of a vector that are valid; 0: all.
    void cast_votes(std::span<const Given> given, std::uint32_t position, std::uint32_t rows,
                    std::uint32_t seen, CacheTables& cache) const;
    void step_votes(std::uint32_t layer, std::uint32_t position, std::uint32_t length,
                    std::uint32_t arrival, std::span<const std::vector<float>> given,
                    CacheTables& cache) const;
    void evict(std::uint32_t layer, std::uint32_t position, std::uint32_t length,
               std::span<const std::uint32_t> arrival, std::span<const std::vector<float>> given,
               CacheTables& cache) const;
    // Adds importance given by rows [first, first + rows) of a pass that begins at `position`.
    void add_importance(const Given& given, std::uint32_t group, std::uint32_t position,
                        std::uint32_t first, std::uint32_t rows,
                        std::vector<std::uint16_t>& importance) const;
};

} // namespace levee::test
