// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/run/observer.hpp"

#include <cstdint>

namespace levee {

/// Measures the draft model's share of time and energy in speculative decoding.
class DraftShare final : public RunObserver {
public:
    explicit DraftShare(const RunContext& run) : observers_(run.observers) {}
    static bool is_wanted(const RunInputs& inputs) { return inputs.work.draft.has_value(); }

    void request(levee_request_event event, std::uint32_t number, std::uint64_t ps) override;
    void report(Results& results) override;

private:
    const Observers& observers_;
    std::uint64_t begun_ps_ = 0;
    energy::Attojoules begun_energy_ = 0;
    std::uint64_t prompt_ps_ = 0, ps_ = 0; ///< the draft's time for prompts, and in total
    energy::Attojoules energy_ = 0;        ///< energy of the whole machine during that time
    bool has_energy_ = false;
};

} // namespace levee
