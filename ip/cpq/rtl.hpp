// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/rtl/rtl_twin.hpp"
#include "ip/cpq/driver.hpp"
#include "ip/cpq/engine.hpp"

#include <span>
#include <string>
#include <vector>

namespace levee::cpq {

/// Uses a Verilated design as an Engine. It is clocked only while it processes a group. Throws
/// LockstepDifference if design and reference differ; in RtlMode::Rtl only if results are missing.
class RtlEngine final : public Engine, public RtlTwin<Ports, Driver, std::vector<Group>> {
public:
    /// `block` is the block's path, for messages.
    RtlEngine(std::string block, MakePins make, RtlMode mode);
    /// Defined in the .cpp file, so that users need not compile the whole twin.
    ~RtlEngine() override;

    void open(Table& table, std::span<const float> rows) override;
    Row quantise(Table& table, std::span<const float> row, Counts& counts) override;

private:
    [[nodiscard]] Group group_of(const Table& table, GroupKind kind, std::size_t first,
                                 std::span<const float> row) const;
    GroupResult run(Group group);
    void add_levels(Table& table, std::size_t first, const GroupResult& result);
};

} // namespace levee::cpq
