// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/rtl/rtl_driver.hpp"
#include "ip/flash/ecu/boundary.hpp"
#include "ip/flash/ecu/pins.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace levee::flash::ecu {

/// A page as read: page_bytes bytes of data, and at least code_bytes bytes of code. Extra code
/// bytes fill the last beat.
struct Page {
    std::vector<std::uint8_t> bytes, code;
};

/// Result of decoding a page.
struct Decoded {
    std::vector<std::uint8_t> bytes;
    DecodeCounts counts;
};

/// Returns the results of the reference (ecc/page_code.hpp).
[[nodiscard]] std::vector<Decoded> expected_of(const Shape& shape, std::span<const Page> pages);

/// Drives a design with consecutive pages as fast as its ready signals and the back-pressure
/// (gates) allow. The channels are in, out and done.
class Driver final : public RtlDriver<Ports, Boundary> {
public:
    static constexpr unsigned channels = 3;

    Driver(Pins& pins, bool compare_cycles) : RtlDriver(pins, Boundary(pins.size()), compare_cycles)
    {
    }

    struct Options : RtlRunOptions<Decoded> {
        bool leaves_counts = false; ///< The run stops when the last page's counts are offered.
    };

    /// Runs one operation. Stops at the first wrong value.
    std::vector<Decoded> run(std::span<const Page> pages, const Options& options);
    [[nodiscard]] RtlPlace place() const override;

private:
    friend class RtlDriver<Ports, Boundary>;

    struct Progress;
    void compare_boundary(const Inputs& in, const Outputs& want, const Outputs& got) override;
    [[nodiscard]] const char* busy_signal(const Outputs& out) const override;
    [[nodiscard]] std::uint64_t pipeline_depth() const override;
    void expect(const Inputs& in, Outputs& out) const override;

    [[nodiscard]] Inputs inputs(const Progress& progress);
    [[nodiscard]] Beat beat_of(const Progress& progress) const;
    bool observe(Progress& progress, const Inputs& in, const Outputs& out);
    void compare_values(const Progress& progress, const Inputs& in, const Outputs& out);
    void compare_beat(const Progress& progress, const Outputs& out);
    void compare_counts(const Progress& progress, const DecodeCounts& got);
    void give_up(const Progress& progress);

    const Progress* progress_ = nullptr; ///< Progress of the current operation.
};

} // namespace levee::flash::ecu
