// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/trace/windowed_timeline.hpp"

#include <algorithm>

namespace levee::trace {

/// Writes the calls in the window. The functions on the stack are entered when a piece of the
/// window begins, and left when it ends.
class WindowedTimeline::Calls final : public CallListener {
public:
    Calls(std::unique_ptr<CallListener> whole, const Window& window, const riscv::Clock& clock)
        : whole_(std::move(whole)), window_(window), clock_(clock)
    {
    }
    void enter(const Function& function, std::uint64_t cycle) override
    {
        go_on(clock_.edge_ps(cycle).value_or(UINT64_MAX));
        frames_.push_back(&function);
        if (inside_)
            whole_->enter(function, cycle);
    }
    void leave(std::uint64_t cycle) override
    {
        go_on(clock_.edge_ps(cycle).value_or(UINT64_MAX));
        frames_.pop_back();
        if (inside_)
            whole_->leave(cycle);
    }

    /// Begins all pieces that start before `ps`, and ends all pieces that end by `ps`. If a
    /// function is left exactly when a piece begins, the piece does not show it.
    void go_on(std::uint64_t ps)
    {
        const std::vector<Window::Piece>& pieces = window_.pieces();
        for (; piece_ < pieces.size(); ++piece_) {
            const Window::Piece& piece = pieces[piece_];
            if (!inside_ && piece.is_empty())
                continue;
            if (!inside_ && piece.from_ps < ps) {
                inside_ = true;
                for (const Function* frame : frames_)
                    whole_->enter(*frame, clock_.first_edge(piece.from_ps));
            }
            if (!inside_ || piece.to_ps > ps)
                return;
            inside_ = false;
            for (std::size_t i = 0; i < frames_.size(); ++i)
                whole_->leave(clock_.first_edge(piece.to_ps));
        }
    }
    /// Returns whether a function is shown now. An arrow can then begin in it.
    [[nodiscard]] bool has_frame() const { return inside_ && !frames_.empty(); }

private:
    std::unique_ptr<CallListener> whole_;
    const Window& window_;
    const riscv::Clock& clock_;
    std::vector<const Function*> frames_;
    std::size_t piece_ = 0;
    bool inside_ = false;
};

void WindowedTimeline::name_process(std::uint32_t process, const std::string& name)
{
    whole_.name_process(process, name);
}

void WindowedTimeline::name_thread(Track track, const std::string& name, std::uint32_t order)
{
    whole_.name_thread(track, name, order);
}

void WindowedTimeline::span(Track track, std::uint64_t ps, std::uint64_t duration_ps,
                            std::string_view name, const Arguments& arguments)
{
    const auto from = window_.first_from(ps), to = window_.last_until(ps + duration_ps);
    const bool is_in = from && to && *from <= *to && (*from < *to || duration_ps == 0);
    if (is_in)
        whole_.span(track, *from, *to - *from, name, arguments);
    const auto [latest, is_first] = latest_.try_emplace({track.process, track.thread});
    if (is_first || ps >= latest->second.whole.to_ps)
        latest->second = {{ps, ps + duration_ps},
                          is_in ? std::optional<Window::Piece>({*from, *to}) : std::nullopt};
}

/// Returns the part inside the window of the outermost span that contains a time; null if there is
/// none.
const Window::Piece* WindowedTimeline::cut_around(Track track, std::uint64_t ps) const
{
    const auto latest = latest_.find({track.process, track.thread});
    if (latest == latest_.end() || !latest->second.cut)
        return nullptr;
    const Window::Piece& whole = latest->second.whole;
    return whole.has(ps) || (whole.is_empty() && whole.from_ps == ps) ? &*latest->second.cut
                                                                      : nullptr;
}

/// Writes the points of an arrow that are in the window, unless its start is outside. If the
/// arrow's last span continues beyond the window, the arrow ends in that span's visible
/// part.
void WindowedTimeline::arrow(Arrow part, std::uint64_t id, Track track, std::uint64_t ps,
                             std::string_view name)
{
    const auto covered = window_.first_from(ps);
    const bool is_inside = covered && *covered == ps;
    const Window::Piece* const span = cut_around(track, ps);
    if (part == Arrow::Start) {
        // The core may report a sleep only after its end. The arrow starts at a doorbell, so the
        // core is awake now.
        const bool is_call = calls_ != nullptr && call_track_ == Key{track.process, track.thread};
        if (is_call)
            calls_->go_on(ps + 1);
        if (!is_inside || !(is_call ? calls_->has_frame() : span != nullptr))
            return;
        arrows_.insert(id);
        whole_.arrow(part, id, track, ps, name);
    } else if (arrows_.contains(id) && span != nullptr) {
        if (is_inside)
            whole_.arrow(part, id, track, ps, name);
        else if (part == Arrow::Finish)
            whole_.arrow(part, id, track, span->is_empty() ? span->from_ps : span->to_ps - 1, name);
    }
    if (part == Arrow::Finish)
        arrows_.erase(id);
}

/// Writes the counters' values at the beginning of each piece that starts by `ps`.
void WindowedTimeline::begin_pieces(std::uint64_t ps)
{
    const std::vector<Window::Piece>& pieces = window_.pieces();
    for (; begun_ < pieces.size() && pieces[begun_].from_ps <= ps; ++begun_)
        for (auto& [key, value] : values_)
            if (value.is_new) {
                whole_.counter(key.first, pieces[begun_].from_ps, key.second, value.unit,
                               value.value);
                value.is_new = false;
            }
}

void WindowedTimeline::counter(std::uint32_t process, std::uint64_t ps, std::string_view name,
                               std::string_view unit, std::string_view value)
{
    begin_pieces(ps);
    const auto covered = window_.first_from(ps);
    const bool is_inside = covered && *covered == ps;
    values_[{process, std::string(name)}] = {std::string(unit), std::string(value), !is_inside};
    if (is_inside)
        whole_.counter(process, ps, name, unit, value);
}

std::unique_ptr<CallListener> WindowedTimeline::calls(const riscv::Clock& clock, Track track)
{
    auto calls = std::make_unique<Calls>(whole_.calls(clock, track), window_, clock);
    calls_ = calls.get();
    call_track_ = {track.process, track.thread};
    return calls;
}

void WindowedTimeline::close()
{
    begin_pieces(UINT64_MAX);
    whole_.close();
}

} // namespace levee::trace
