// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/rtl/bench.hpp"
#include "test/twin/driver.hpp"

#include <memory>
#include <string>
#include <vector>

namespace levee::inverter {

/// Operations for cosim: up to 64 words, with back-pressure in three of four.
class InverterBench final : public cosim::DesignBench<Ports, Driver> {
public:
    using DesignBench::DesignBench;

    [[nodiscard]] std::string describe(std::uint64_t index) const override
    {
        return std::to_string(words(index).size()) + " words";
    }

private:
    [[nodiscard]] std::vector<std::uint32_t> words(std::uint64_t index) const
    {
        cosim::Draw draw(seed(), index);
        std::vector<std::uint32_t> words(1 + draw.below(64));
        for (std::uint32_t& word : words)
            word = draw.word();
        return words;
    }
    bool operate(std::uint64_t index) override
    {
        const std::vector<std::uint32_t> words = this->words(index);
        const std::vector<std::uint32_t> expected = inverted(words, size());
        if (index % 4 != 0)
            driver().set_gates(cosim::RandomGates(static_cast<std::uint32_t>(index), 2));
        Driver::Options options;
        options.expected = expected;
        (void)driver().run(words, options);
        return true; // the design is idle now
    }
};

} // namespace levee::inverter
