// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/common/rtl_pins.hpp"

#include <memory>
#include <utility>

namespace levee::test {

/// A design behind pins that a test makes faulty: settle() is the test's.
template <typename Ports> class PinsDecorator : public RtlPins<Ports> {
public:
    [[nodiscard]] const typename Ports::Size& size() const override { return pins_->size(); }
    void reset() override { pins_->reset(); }
    void edge() override
    {
        ++cycle_;
        pins_->edge();
    }
    void trace(const std::filesystem::path& fst) override { pins_->trace(fst); }
    [[nodiscard]] std::uint64_t failed_assertions() const override
    {
        return pins_->failed_assertions();
    }
    [[nodiscard]] std::map<std::string, std::uint64_t> coverage() const override
    {
        return pins_->coverage();
    }

protected:
    explicit PinsDecorator(std::unique_ptr<RtlPins<Ports>> pins) : pins_(std::move(pins)) {}
    [[nodiscard]] RtlPins<Ports>& pins() { return *pins_; }
    /// Cycles since it was made, without those of reset.
    [[nodiscard]] std::uint64_t cycle() const { return cycle_; }

private:
    std::unique_ptr<RtlPins<Ports>> pins_;
    std::uint64_t cycle_ = 0;
};

} // namespace levee::test
