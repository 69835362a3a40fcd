// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/rtl/rtl_driver.hpp"
#include "ip/element_serial/boundary.hpp"
#include "ip/element_serial/pins.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace levee::element_serial {

/// A vector as a design receives it.
struct VectorWork {
    std::vector<Element> elements; ///< At least one element.
    Statistics statistics{};       ///< Used by NORMALISE.
};

/// Vectors of an operation, in order.
struct Work {
    Configuration configuration;
    std::vector<VectorWork> vectors;
};

/// Result of a vector.
struct VectorResult {
    std::vector<std::uint16_t> out; ///< FP16: elements for REDUCE, results for NORMALISE.
    Statistics statistics{};        ///< Result of REDUCE.
};

/// Returns the results of the reference (model.hpp).
[[nodiscard]] std::vector<VectorResult> expected_of(const Shape& shape, const Work& work);

/// Drives a design with operations as fast as its ready signals and the gates (back-pressure)
/// allow. The channels are statistics, in, out and result.
class Driver final : public RtlDriver<Ports, Boundary> {
public:
    static constexpr unsigned channels = 4;

    Driver(Pins& pins, bool compare_cycles) : RtlDriver(pins, Boundary(pins.size()), compare_cycles)
    {
    }

    using Options = RtlRunOptions<VectorResult>;

    /// Runs one operation to its last result. Stops at the first wrong value.
    std::vector<VectorResult> run(const Work& work, const Options& options);
    [[nodiscard]] RtlPlace place() const override;

private:
    friend class RtlDriver<Ports, Boundary>;

    struct Progress;
    void compare_boundary(const Inputs& in, const Outputs& want, const Outputs& got) override;
    [[nodiscard]] const char* busy_signal(const Outputs& out) const override;
    [[nodiscard]] std::uint64_t pipeline_depth() const override;
    void expect(const Inputs& in, Outputs& out) const override;

    [[nodiscard]] Inputs inputs(const Progress& progress);
    bool observe(Progress& progress, const Inputs& in, const Outputs& out);
    void compare_values(const Progress& progress, const Inputs& in, const Outputs& out);
    void compare_result(const Progress& progress, const Outputs& out);
    void give_up(const Progress& progress);

    const Progress* progress_ = nullptr;
};

} // namespace levee::element_serial
