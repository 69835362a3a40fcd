// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/rtl/build/probe.hpp"
#include "core/rtl/build/recording.hpp"
#include "platform/studies/cosim/pin_rules.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>

namespace levee::cosim {

/// Writes the pins of a recorded design for $readmemh, with a line for each clock cycle. The files
/// are stimulus.memh (all inputs except the clock), expected.memh (all outputs), counts.memh (the
/// output bits to compare) and operation.memh. The first port has the highest bits.
class VectorWriter {
public:
    VectorWriter(const own_rtl::Recording& recording, const own_rtl::Interface& boundary,
                 PinRules rules, const std::filesystem::path& folder);
    ~VectorWriter();
    VectorWriter(const VectorWriter&) = delete;
    VectorWriter& operator=(const VectorWriter&) = delete;

    /// The cycles from now on belong to this operation.
    void begin_operation(std::uint64_t operation) { operation_ = operation; }
    [[nodiscard]] std::uint64_t cycles() const { return cycles_; }
    /// Returns the number of cycles in which at least one output bit is compared.
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
