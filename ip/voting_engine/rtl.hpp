// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/rtl/rtl_twin.hpp"
#include "ip/voting_engine/driver.hpp"
#include "ip/voting_engine/engine.hpp"

#include <string>
#include <vector>

namespace levee::voting_engine {

/// Uses a Verilated design as an Engine. The design is clocked only while it votes or elects.
/// Throws LockstepDifference if design and reference differ; in RtlMode::Rtl only if results are
/// missing.
class RtlEngine final : public Engine, public RtlTwin<Ports, Driver, std::vector<Job>> {
public:
    /// `block` is the block's path, for messages.
    RtlEngine(std::string block, MakePins make, RtlMode mode);
    /// Defined in the .cpp file, so that users need not compile the whole twin.
    ~RtlEngine() override;

    Cycles vote(const Ballot& ballot) override;
    Election elect(std::span<const std::uint16_t> votes, std::span<const std::uint32_t> positions,
                   std::uint32_t protect) override;

private:
    JobResult run(Job job);
};

} // namespace levee::voting_engine
