// SPDX-License-Identifier: Apache-2.0
#include "platform/run/recorder.hpp"

#include <algorithm>
#include <bit>

namespace levee {

void Recorder::on_exit(int code, const sc_core::sc_time& at)
{
    if (exit_code_)
        return;
    exit_code_ = code;
    ended_ps_ = time_of(at);
    close_phase(ended_ps_);
    on_end();
}

void Recorder::on_failure(const std::string& message, const sc_core::sc_time& at, int code)
{
    if (exit_code_)
        return;
    failure_ = message;
    on_exit(code, at);
}

std::uint64_t Recorder::time_of(const sc_core::sc_time& at)
{
    latest_ps_ = std::max<std::uint64_t>(latest_ps_, at.value()); // the kernel's resolution is 1 ps
    return latest_ps_;
}

void Recorder::close_phase(std::uint64_t ps)
{
    phases_[phase_].ps += ps - phase_began_ps_;
    phase_began_ps_ = ps;
}

void Recorder::on_phase(levee_phase phase, const sc_core::sc_time& at)
{
    const std::uint64_t ps = time_of(at);
    close_phase(ps);
    phase_ = phase;
    had_prefill_ = had_prefill_ || phase == LEVEE_PHASE_PREFILL;
    if (on_phase_change)
        on_phase_change(phase, ps);
}

void Recorder::on_mark(const hostlink::MarkedPart& part, bool begins, const sc_core::sc_time& at)
{
    const std::uint64_t ps = time_of(at);
    if (on_mark_change)
        on_mark_change(part, begins, ps);
}

void Recorder::on_token(std::uint32_t sequence, std::uint32_t id, const sc_core::sc_time& at)
{
    constexpr std::uint32_t most = 1u << 20; // limits the memory that a faulty program can request
    if (sequence >= most)
        return;
    if (sequence >= tokens_.size())
        tokens_.resize(sequence + 1);
    tokens_[sequence].push_back(id);
    // A sequence's first token comes from its prefill, even if it is reported in the decode phase.
    const bool from_prefill = tokens_[sequence].size() == 1 && had_prefill_;
    ++phases_[from_prefill ? LEVEE_PHASE_PREFILL : phase_].tokens;
    if (on_new_token)
        on_new_token(sequence, id, time_of(at));
}

void Recorder::on_metric(const std::string& name, levee_metric_kind kind, std::uint64_t bits)
{
    switch (kind) {
    case LEVEE_METRIC_U64:
        reported_[name] = bits;
        break;
    case LEVEE_METRIC_I64:
        reported_[name] = static_cast<std::int64_t>(bits);
        break;
    case LEVEE_METRIC_F64:
        reported_[name] = std::bit_cast<double>(bits);
        break;
    }
}

sampling::Phases Recorder::phases(std::uint64_t ps) const
{
    sampling::Phases phases = phases_;
    if (!exit_code_)
        phases[phase_].ps += ps - phase_began_ps_;
    return phases;
}

} // namespace levee
