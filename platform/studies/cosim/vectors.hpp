// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/rtl/build/probe.hpp"
#include "core/rtl/build/recording.hpp"
#include "platform/studies/cosim/pin_rules.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>

namespace levee::cosim {

/// Writes the pins of a recorded design in each clock cycle, for $readmemh, one line for each
/// cycle: stimulus.memh (all inputs but the clock), expected.memh (all outputs), counts.memh (which
/// of their bits count) and operation.memh. The first port's bits are the highest.
class VectorWriter {
public:
    VectorWriter(const own_rtl::Recording& recording, const own_rtl::Interface& boundary,
                 PinRules rules, const std::filesystem::path& folder);
    ~VectorWriter();
    VectorWriter(const VectorWriter&) = delete;
    VectorWriter& operator=(const VectorWriter&) = delete;

    /// The following cycles belong to this operation.
    void begin_operation(std::uint64_t operation) { operation_ = operation; }
    [[nodiscard]] std::uint64_t cycles() const { return cycles_; }
    /// Cycles in which at least one bit of the outputs counts.
    [[nodiscard]] std::uint64_t counting_cycles() const { return counting_cycles_; }
    /// Throws std::runtime_error if the files could not be written.
    void close();

private:
    void write_cycle();

    const own_rtl::Recording& recording_;
    const own_rtl::Interface& boundary_;
    PinRules rules_;
    std::filesystem::path folder_;
    std::ofstream stimulus_, expected_, counts_, operations_;
    std::uint64_t operation_ = 0, cycles_ = 0, counting_cycles_ = 0;
};

} // namespace levee::cosim
