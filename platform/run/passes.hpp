// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/run/observer.hpp"

namespace levee {

/// Passes the time of each part of the work to the caller of the run (RunRequest::take_pass).
class PassTimes final : public RunObserver {
public:
    explicit PassTimes(const RunContext& run) : take_(run.inputs.request.take_pass) {}
    static bool is_wanted(const RunInputs& inputs) { return bool(inputs.request.take_pass); }

    void mark(const Mark& mark) override
    {
        if (!mark.begins)
            take_(mark.part.kind, mark.ps - begun_ps_);
        begun_ps_ = mark.ps;
    }

private:
    std::function<void(int kind, std::uint64_t ps)> take_;
    std::uint64_t begun_ps_ = 0;
};

} // namespace levee
