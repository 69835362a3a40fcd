// SPDX-License-Identifier: Apache-2.0
// The voting engine's RTL, instead of its reference or in lockstep with it.
#pragma once

#include "core/rtl/rtl_twin.hpp"
#include "ip/voting_engine/driver.hpp"
#include "ip/voting_engine/engine.hpp"

#include <string>
#include <vector>

namespace levee::voting_engine {

/// A Verilated design as an Engine. It is clocked only while it votes or elects. Throws
/// LockstepDifference; with RtlMode::Rtl, only if the design delivers no results.
class RtlEngine final : public Engine, public RtlTwin<Ports, Driver, std::vector<Job>> {
public:
    /// `block`: its path, for messages.
    RtlEngine(std::string block, MakePins make, RtlMode mode);
    /// Elsewhere, so that who makes one does not compile the whole twin.
    ~RtlEngine() override;

    Cycles vote(const Ballot& ballot) override;
    Election elect(std::span<const std::uint16_t> votes, std::span<const std::uint32_t> positions,
                   std::uint32_t protect) override;

private:
    JobResult run(Job job);
};

} // namespace levee::voting_engine
