// SPDX-License-Identifier: Apache-2.0
#include "ip/voting_engine/rtl.hpp"

#include "ip/voting_engine/timing.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace levee::voting_engine {

RtlEngine::RtlEngine(std::string block, MakePins make, RtlMode mode)
    : RtlTwin(std::move(block), make, mode)
{
}

RtlEngine::~RtlEngine() = default;

JobResult RtlEngine::run(Job job)
{
    return perform(std::make_shared<const std::vector<Job>>(1, std::move(job))).front();
}

/// Runs a ballot on the design. The last vector of an entry is the longest, and covers all slots of
/// the entry.
Engine::Cycles RtlEngine::vote(const Ballot& ballot)
{
    Job job;
    job.factors = ballot.factors;
    EntryTime time(size());
    for (const std::span<const std::uint16_t> vector : ballot.vectors) {
        job.vectors.emplace_back(vector.begin(), vector.end());
        time.add(vector.size());
    }
    job.votes.assign(ballot.votes.begin(), ballot.votes.end());
    job.positions.assign(ballot.positions.begin(), ballot.positions.end());
    if (ballot.positions.empty()) {
        job.positions.resize(job.votes.size());
        std::iota(job.positions.begin(), job.positions.end(), 0u);
    }
    const JobResult result = run(std::move(job));
    std::ranges::copy(result.votes, ballot.votes.begin());
    check_cycles("cycles in which elements were taken", time.taken(), result.taken);
    check_cycles("cycles until the last vote", time.passed(), result.passed);
    if (is_clocked_in_time())
        return {time.taken(), time.passed()};
    return {result.taken, result.passed};
}

Engine::Election RtlEngine::elect(std::span<const std::uint16_t> votes,
                                  std::span<const std::uint32_t> positions, std::uint32_t protect)
{
    Job job;
    job.elects = true;
    job.votes.assign(votes.begin(), votes.end());
    job.positions.assign(positions.begin(), positions.end());
    job.protect = protect;
    const JobResult result = run(std::move(job));
    check_cycles("cycles of an election", votes.size() + 1, result.passed);
    return {result.slot, is_clocked_in_time() ? votes.size() + 1 : result.passed};
}

} // namespace levee::voting_engine
