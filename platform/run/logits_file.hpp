// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/run/observer.hpp"

#include <filesystem>
#include <fstream>

namespace levee {

/// Writes all vectors of logits to the file of `observe.logits`, as raw FP32.
class LogitsFile final : public RunObserver {
public:
    static bool is_wanted(const RunInputs& inputs)
    {
        return inputs.scenario.observe.logits.has_value();
    }
    /// Throws std::runtime_error if the file cannot be created.
    explicit LogitsFile(const RunContext& run);

    [[nodiscard]] bool wants_logits() const override { return true; }
    void logits(std::span<const float> values) override;
    void finish() override;

private:
    std::filesystem::path path_;
    std::ofstream stream_;
};

} // namespace levee
