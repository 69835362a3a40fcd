// SPDX-License-Identifier: Apache-2.0
// Jobs with a limited cache, and their executed operations.
#pragma once

#include "firmware/cache/operations.h"
#include "firmware/policies/policies.h"
#include "test/unit/firmware/jobs.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

namespace levee::test {

inline const std::vector<const char*> schedulers{"baseline", "kelle", "kelle_baseline"};

inline fake_job limited(std::uint32_t kind)
{
    fake_job job = opt();
    job.kv.kind = kind;
    job.kv.budget = 12;
    job.kv.window = 4;
    job.kv.sinks = 2;
    job.kv.view_bits = 4;
    job.kv.recompute = LEVEE_KV_RECOMPUTE_ALL;
    job.voting = {1.0f, 0.2f, 4, 1};
    job.voting_capacity = 128;
    job.queues = 2;
    set_batch(job, 3); // The sequences have 3, 10 and 17 tokens.
    return job;
}

inline int kind_of(const fake_executed& executed)
{
    return static_cast<int>(executed.descriptor.tag & 0xFF);
}

/// Returns the executed operations of one layer in one step, in the order in which they ended. Step
/// -1 is the prefill.
inline std::vector<fake_executed> of_layer(const fake_outcome& outcome, std::uint32_t layer,
                                           std::int32_t step)
{
    std::vector<fake_executed> found;
    std::copy_if(outcome.executed, outcome.executed + outcome.executed_count,
                 std::back_inserter(found), [&](const fake_executed& executed) {
                     return executed.step == step && of_a_layer(executed.descriptor) &&
                            layer_of(executed.descriptor) == layer;
                 });
    return found;
}

inline std::vector<fake_executed> of_kind(const std::vector<fake_executed>& all, int kind)
{
    std::vector<fake_executed> found;
    std::copy_if(all.begin(), all.end(), std::back_inserter(found),
                 [&](const fake_executed& executed) { return kind_of(executed) == kind; });
    return found;
}

// Returns all policies that need no block except an evictor.
inline std::vector<std::uint32_t> kinds_by_budget()
{
    std::vector<std::uint32_t> kinds;
    for (std::uint32_t kind = 0; const levee_kv_rule* rule = levee_kv_rule_of(kind); ++kind)
        if ((rule->uses & LEVEE_KV_BIT(RETRIEVAL)) == 0)
            kinds.push_back(kind);
    return kinds;
}

} // namespace levee::test
