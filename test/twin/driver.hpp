// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/rtl/rtl_driver.hpp"
#include "test/twin/boundary.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace levee::inverter {

/// An operation of the inverter.
struct Work {
    std::vector<std::uint32_t> words;
};

/// Returns the reference's result, bit for bit.
[[nodiscard]] std::vector<std::uint32_t> expected_of(std::uint32_t width, const Work& work);

/// Sends words to a design and checks the results. It has two channels, in and out.
class Driver final : public RtlDriver<Ports, Boundary> {
public:
    static constexpr unsigned channels = 2;
    using Options = RtlRunOptions<std::uint32_t>;

    Driver(Pins& pins, bool compare_cycles) : RtlDriver(pins, Boundary(), compare_cycles) {}

    /// Runs one operation and returns the words that came out. Throws at the first wrong value.
    std::vector<std::uint32_t> run(const Work& work, const Options& options);

private:
    friend class RtlDriver<Ports, Boundary>;
    struct Progress;

    void compare_boundary(const Inputs& in, const Outputs& want, const Outputs& got) override;
    [[nodiscard]] const char* busy_signal(const Outputs& out) const override;

    [[nodiscard]] Inputs inputs(Progress& progress);
    bool observe(Progress& progress, const Inputs& in, const Outputs& out);
    void compare_values(const Progress& progress, const Inputs& in, const Outputs& out);
    void give_up(const Progress& progress);

    std::size_t word_ = 0; ///< number of the next output word, for messages
};

} // namespace levee::inverter
