// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace levee::trace {

/// The part of a run that a trace covers: the times at which all of these conditions hold.
struct WindowPlan {
    std::uint64_t from_ps = 0, to_ps = UINT64_MAX;
    struct Tokens {
        std::uint32_t first, last;
    };
    /// While these tokens of a sequence are being generated; counted from 0.
    std::optional<Tokens> tokens;
    std::optional<std::uint32_t> layer; ///< while operations of this layer run

    [[nodiscard]] bool is_everything() const
    {
        return from_ps == 0 && to_ps == UINT64_MAX && !tokens && !layer;
    }
};

/// Reads the text behind an @: "1ms..2ms", "token:5", "token:5..8" or "layer:3", and adds it to the
/// plan. Throws std::invalid_argument.
void add_window(WindowPlan& plan, const std::string& text);

/// The times that a trace covers, which become known as the run proceeds. Times must not decrease
/// from call to call.
class Window {
public:
    struct Piece {
        std::uint64_t from_ps, to_ps; ///< to_ps: UINT64_MAX while it lasts

        /// It ended before the time in front of which the plan covers nothing.
        [[nodiscard]] bool is_empty() const { return from_ps == to_ps; }
        [[nodiscard]] bool has(std::uint64_t ps) const { return ps >= from_ps && ps < to_ps; }
    };

    explicit Window(const WindowPlan& plan);

    /// A sequence has got its token `number`. The sequence with the most tokens counts.
    void token(std::uint32_t number, std::uint64_t ps);
    /// An operation with this tag begins, and ends.
    void began(std::uint32_t tag, std::uint64_t ps);
    void ended(std::uint32_t tag);

    /// Pieces that have begun, in order of time.
    [[nodiscard]] const std::vector<Piece>& pieces() const { return pieces_; }
    /// Whether it covers a time no earlier than that of the latest call.
    [[nodiscard]] bool has(std::uint64_t ps) const
    {
        return !pieces_.empty() && pieces_.back().has(ps);
    }
    /// Whether it covers any time before `ps`.
    [[nodiscard]] bool covers_before(std::uint64_t ps) const;
    /// The first covered time at or after `ps`; none if it is not known yet, or there is none.
    [[nodiscard]] std::optional<std::uint64_t> first_from(std::uint64_t ps) const;
    /// The latest covered time up to `ps`: `ps` itself inside a piece, otherwise the end of the
    /// last piece before it; none before the first piece.
    [[nodiscard]] std::optional<std::uint64_t> last_until(std::uint64_t ps) const;

private:
    void update(std::uint64_t ps);

    WindowPlan plan_;
    std::vector<Piece> pieces_;
    std::uint32_t next_token_ = 0;
    bool in_layer_ = false;
    std::uint32_t running_ = 0; ///< operations of the layer
    bool is_open_ = false;
};

} // namespace levee::trace
