// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/systolic_evictor/designs.hpp"

#include <cstdint>
#include <memory>
#include <utility>

namespace levee::test {

/// The evictor's design with one wrong bit at its pins, from the 100th cycle after it was made on.
class FaultyPins final : public systolic_evictor::Pins {
public:
    enum class Fault {
        Score,  ///< the lowest bit of updated importance
        Index,  ///< of the result
        Silent, ///< there is no result
        Extra   ///< there is an updated importance where there is none
    };

    FaultyPins(Fault fault, const systolic_evictor::PinsOptions& options)
        : fault_(fault), pins_(systolic_evictor::designs()[0].make(options))
    {
    }

    [[nodiscard]] std::size_t rows() const override { return pins_->rows(); }
    void reset() override { pins_->reset(); }
    systolic_evictor::Outputs settle(const systolic_evictor::Inputs& in) override
    {
        constexpr std::uint64_t good_cycles = 100;
        systolic_evictor::Outputs out = pins_->settle(in);
        if (cycle_ < good_cycles)
            return out;
        switch (fault_) {
        case Fault::Score:
            out.update_score ^= 1;
            break;
        case Fault::Index:
            out.result_index ^= 1;
            break;
        case Fault::Silent:
            out.result_valid = false;
            break;
        case Fault::Extra:
            out.update_valid = true;
            break;
        }
        return out;
    }
    void edge() override
    {
        ++cycle_;
        pins_->edge();
    }
    void trace(const std::filesystem::path& fst) override { pins_->trace(fst); }
    [[nodiscard]] std::uint64_t failed_assertions() const override { return 0; }
    [[nodiscard]] std::map<std::string, std::uint64_t> coverage() const override { return {}; }

private:
    Fault fault_;
    std::unique_ptr<systolic_evictor::Pins> pins_;
    std::uint64_t cycle_ = 0;
};

template <FaultyPins::Fault fault>
std::unique_ptr<systolic_evictor::Pins> make_faulty(const systolic_evictor::PinsOptions& options)
{
    return std::make_unique<FaultyPins>(fault, options);
}

} // namespace levee::test
