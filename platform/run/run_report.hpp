// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/decisions/kept_tokens.hpp"
#include "platform/observe/time_series/series.hpp"
#include "platform/run/observer.hpp"

#include <optional>

namespace levee {

/// Collects data that the report needs and the results lack, and writes report.html
/// (docs/tracing.md).
class RunReport final : public RunObserver {
public:
    static bool is_wanted(const RunInputs& inputs)
    {
        return inputs.request.report && inputs.scenario.observe.report;
    }
    explicit RunReport(const RunContext& run);

    void phase(levee_phase phase, std::uint64_t ps) override { series_.enter(phase, ps); }
    void complete(const Results& results) override;

private:
    const RunContext run_;
    series::Series series_;
};

/// Returns an object that records the decisions for the report. Returns nothing if no report is
/// requested, or if evictions of single tokens are not known.
[[nodiscard]] std::optional<KeptTokens> kept_tokens(const RunInputs& inputs);

} // namespace levee
