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

/// A vector as a design gets it.
struct VectorWork {
    std::vector<Element> elements; ///< Elements, at least one.
    Statistics statistics{};       ///< NORMALISE
};

/// An operation's vectors, in order.
struct Work {
    Configuration configuration;
    std::vector<VectorWork> vectors;
};

/// The result of a vector.
struct VectorResult {
    std::vector<std::uint16_t> out; ///< FP16: the elements for REDUCE, the results for NORMALISE
    Statistics statistics{};        ///< REDUCE
};

/// Results of the reference (model.hpp).
[[nodiscard]] std::vector<VectorResult> expected_of(const Shape& shape, const Work& work);

/// Drives a design with operations, as fast as its ready signals and gates allow. Channels:
/// statistics, in, out, result.
class Driver final : public RtlDriver<Ports, Boundary> {
public:
    static constexpr unsigned channels = 4;

    Driver(Pins& pins, bool compare_cycles) : RtlDriver(pins, Boundary(pins.size()), compare_cycles)
    {
    }

    using Options = RtlRunOptions<VectorResult>;

    /// Runs one operation to its last result. Ends at the first difference in values.
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

    const Progress* progress_ = nullptr; ///< progress of the current operation
};

} // namespace levee::element_serial
