// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/common/rtl_driver.hpp"
#include "ip/rsa/output/boundary.hpp"
#include "ip/rsa/output/folds.hpp"
#include "ip/rsa/output/pins.hpp"

#include <cstdint>
#include <vector>

namespace levee::rsa::output {

/// An operation.
struct Work {
    std::vector<Product> products;
    std::uint32_t heads = 1; ///< consecutive products of an entry, for messages
};

/// The reference's sums of each product.
[[nodiscard]] std::vector<Sums> expected_of(const Work& work);

struct Run {
    std::vector<Sums> sums;   ///< of each product
    std::uint64_t cycles = 0; ///< from the first bytes offered to the last lane of the last sums
};

/// Drives a design with products as fast as its ready signals and gates allow. Channels: load, in,
/// out.
class Driver final : public RtlDriver<Ports, Boundary> {
public:
    static constexpr unsigned channels = 3;
    using Options = RtlRunOptions<Sums>;

    Driver(Pins& pins, bool compare_cycles) : RtlDriver(pins, Boundary(pins.size()), compare_cycles)
    {
    }

    /// Runs one operation. Ends at the first difference in values.
    Run run(const Work& work, const Options& options);
    [[nodiscard]] RtlPlace place() const override;

private:
    friend class RtlDriver<Ports, Boundary>;
    struct Progress;

    void compare_boundary(const Inputs& in, const Outputs& want, const Outputs& got) override;
    [[nodiscard]] const char* busy_signal(const Outputs& out) const override;
    void expect(const Inputs& in, Outputs& out) const override;

    [[nodiscard]] Inputs inputs(Progress& progress);
    bool observe(Progress& progress, const Inputs& in, const Outputs& out);
    void compare_values(Progress& progress, const Inputs& in, const Outputs& out);
    void compare_lane(Progress& progress, std::uint32_t lane, std::int64_t got, bool is_taken);
    void give_up(const Progress& progress);

    const Progress* progress_ = nullptr; ///< of the current operation
};

} // namespace levee::rsa::output
