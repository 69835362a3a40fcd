#include "platform/run/recorder.hpp"

#include "ip/common/stats.hpp"

#include <bit>

namespace levee {

namespace {

/// The kernel's resolution is a picosecond.
std::uint64_t picoseconds(const sc_core::sc_time& time)
{
    return time.value();
}

} // namespace

void Recorder::on_exit(int code, const sc_core::sc_time& at)
{
    if (exit_code_)
        return;
    exit_code_ = code;
    ended_ps_ = picoseconds(at);
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

void Recorder::close_phase(std::uint64_t ps)
{
    phases_[phase_].ps += ps - phase_began_ps_;
    phase_began_ps_ = ps;
}

void Recorder::on_phase(levee_phase phase, const sc_core::sc_time& at)
{
    close_phase(picoseconds(at));
    phase_ = phase;
    if (on_phase_change)
        on_phase_change(phase, picoseconds(at));
}

void Recorder::on_mark(levee_mark kind, std::uint32_t index, bool begins,
                       const sc_core::sc_time& at)
{
    if (on_mark_change)
        on_mark_change(kind, index, begins, picoseconds(at));
}

void Recorder::on_token(std::uint32_t sequence, std::uint32_t id, const sc_core::sc_time&)
{
    constexpr std::uint32_t most = 1u << 20; // a program's mistake must not take the host's memory
    if (sequence >= most)
        return;
    if (sequence >= tokens_.size())
        tokens_.resize(sequence + 1);
    tokens_[sequence].push_back(id);
    ++phases_[phase_].tokens;
}

void Recorder::on_metric(const std::string& name, levee_metric_kind kind, std::uint64_t bits)
{
    switch (kind) {
    case LEVEE_METRIC_U64:
        metrics_[name] = bits;
        break;
    case LEVEE_METRIC_I64:
        metrics_[name] = static_cast<std::int64_t>(bits);
        break;
    case LEVEE_METRIC_F64:
        metrics_[name] = std::bit_cast<double>(bits);
        break;
    }
}

void Recorder::report(std::uint64_t end_ps, Results& results) const
{
    results.text = text_;
    results.tokens = tokens_;
    const std::uint64_t ended = ended_ps(end_ps);
    results.metrics = metrics_; // first: a program's figure cannot hide one of ours
    results.metrics["sim.seconds"] = seconds(ended);
    const std::pair<levee_phase, const char*> names[] = {{LEVEE_PHASE_PREFILL, "prefill"},
                                                         {LEVEE_PHASE_DECODE, "decode"}};
    for (const auto& [phase, name] : names) {
        const Phase& record = phases_[phase];
        if (record.ps == 0)
            continue;
        const double duration = seconds(record.ps);
        results.metrics[std::string(name) + ".seconds"] = duration;
        if (record.tokens == 0)
            continue;
        results.metrics[std::string(name) + ".tokens"] = record.tokens;
        results.metrics[std::string(name) + ".tokens_per_s"] =
            static_cast<double>(record.tokens) / duration;
    }
}

} // namespace levee
