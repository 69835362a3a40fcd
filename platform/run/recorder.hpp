// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/hostlink/module.hpp"
#include "platform/run/sampling/figures.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace levee {

/// Records what the program reports: its end, phases, tokens, metrics and text.
class Recorder : public hostlink::Listener {
public:
    /// Called when the program ends.
    std::function<void()> on_end;
    /// Called when a phase begins, with the time in picoseconds.
    std::function<void(levee_phase, std::uint64_t ps)> on_phase_change;
    /// Called when a part of the work begins or ends.
    std::function<void(const hostlink::MarkedPart&, bool begins, std::uint64_t ps)> on_mark_change;
    /// Called when the program declares one of its stacks.
    std::function<void(std::uint32_t bottom, std::uint32_t top)> on_new_stack;
    /// Called when the program reports an event of a request, a draft model or a save.
    std::function<void(levee_request_event, std::uint32_t number, std::uint64_t ps)>
        on_request_event;
    /// Called when a sequence has a new token.
    std::function<void(std::uint32_t sequence, std::uint32_t id, std::uint64_t ps)> on_new_token;

    void on_exit(int code, const sc_core::sc_time& at) override;
    void on_phase(levee_phase phase, const sc_core::sc_time& at) override;
    void on_token(std::uint32_t sequence, std::uint32_t id, const sc_core::sc_time& at) override;
    void on_mark(const hostlink::MarkedPart& part, bool begins,
                 const sc_core::sc_time& at) override;
    void on_request(levee_request_event event, std::uint32_t number,
                    const sc_core::sc_time& at) override
    {
        if (on_request_event)
            on_request_event(event, number, time_of(at));
    }
    void on_stack(std::uint32_t bottom, std::uint32_t top) override
    {
        if (on_new_stack)
            on_new_stack(bottom, top);
    }
    void on_metric(const std::string& name, levee_metric_kind kind, std::uint64_t bits) override;
    void on_text(char byte) { text_ += byte; }
    /// Uses a shared counter of printed bytes, for a run that several processes continue in turn.
    void share_printed(std::uint64_t* bytes) { printed_ = bytes; }
    /// Returns true if the last byte of the text has not been printed yet, and counts it as
    /// printed.
    [[nodiscard]] bool take_unprinted()
    {
        if (printed_ == nullptr)
            return true;
        const bool is_new = text_.size() > *printed_;
        *printed_ = std::max<std::uint64_t>(*printed_, text_.size());
        return is_new;
    }
    void on_failure(const std::string& message, const sc_core::sc_time& at, int code = 1);

    [[nodiscard]] std::optional<int> exit_code() const { return exit_code_; }
    /// Returns the time at which the program ended; `otherwise` if it has not.
    [[nodiscard]] std::uint64_t ended_ps(std::uint64_t otherwise) const
    {
        return exit_code_ ? ended_ps_ : otherwise;
    }
    [[nodiscard]] const std::string& failure() const { return failure_; }
    [[nodiscard]] const std::string& text() const { return text_; }
    /// Returns the generated tokens of each sequence.
    [[nodiscard]] const std::vector<std::vector<std::uint32_t>>& tokens() const { return tokens_; }
    [[nodiscard]] const sampling::Reported& reported() const { return reported_; }
    /// Returns the figures of each phase at `ps`.
    [[nodiscard]] sampling::Phases phases(std::uint64_t ps) const;

private:
    /// Returns the time of a report, in picoseconds. A report takes effect when the program's bus
    /// access completes. Events that occur before this, such as the end at a time limit, get the
    /// same time, so that times never decrease.
    [[nodiscard]] std::uint64_t time_of(const sc_core::sc_time& at);
    void close_phase(std::uint64_t ps);

    std::optional<int> exit_code_;
    std::string failure_;
    std::string text_;
    std::uint64_t* printed_ = nullptr;
    std::vector<std::vector<std::uint32_t>> tokens_;
    sampling::Reported reported_;
    bool had_prefill_ = false;
    sampling::Phases phases_;
    levee_phase phase_ = LEVEE_PHASE_OTHER;
    std::uint64_t phase_began_ps_ = 0;
    std::uint64_t ended_ps_ = 0;
    std::uint64_t latest_ps_ = 0;
};

} // namespace levee
