// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace levee::trace {

/// The part of a run that a trace covers: all times at which every condition holds.
struct WindowPlan {
    std::uint64_t from_ps = 0, to_ps = UINT64_MAX;
    struct Tokens {
        std::uint32_t first, last;
    };
    /// Covers the generation of tokens with these numbers in a sequence. Numbers begin at
    /// 0.
    std::optional<Tokens> tokens;
    std::optional<std::uint32_t> layer; ///< covers the time in which operations of this layer run

    [[nodiscard]] bool is_everything() const
    {
        return from_ps == 0 && to_ps == UINT64_MAX && !tokens && !layer;
    }
};

/// Reads the part of an option after the @, such as "1ms..2ms", "token:5", "token:5..8" or
/// "layer:3", into the plan. Throws std::invalid_argument.
void add_window(WindowPlan& plan, const std::string& text);

/// The times that a trace covers. They become known during the run, so calls must be in order of
/// time.
class Window {
public:
    struct Piece {
        std::uint64_t from_ps, to_ps; ///< to_ps is UINT64_MAX until the piece ends

        /// True for a piece that ended as soon as it began, or before the plan's first time.
        [[nodiscard]] bool is_empty() const { return from_ps == to_ps; }
        [[nodiscard]] bool has(std::uint64_t ps) const { return ps >= from_ps && ps < to_ps; }
    };

    explicit Window(const WindowPlan& plan);

    /// Called when a sequence has received token `number`. Of several sequences, the one that is
    /// furthest counts.
    void token(std::uint32_t number, std::uint64_t ps);
    void began(std::uint32_t tag, std::uint64_t ps);
    void ended(std::uint32_t tag);

    /// Returns the pieces that have started, in order of time.
    [[nodiscard]] const std::vector<Piece>& pieces() const { return pieces_; }
    /// Returns whether the window covers `ps`, which must not be earlier than the latest call.
    [[nodiscard]] bool has(std::uint64_t ps) const
    {
        return !pieces_.empty() && pieces_.back().has(ps);
    }
    [[nodiscard]] bool covers_before(std::uint64_t ps) const;
    /// Returns a sentence for each time, token or layer of the plan that a run ending at `ps` has
    /// not reached.
    [[nodiscard]] std::vector<std::string> beyond(std::uint64_t ps) const;
    /// Returns the first covered time at or after `ps`; nothing if none is known yet.
    [[nodiscard]] std::optional<std::uint64_t> first_from(std::uint64_t ps) const;
    /// Returns `ps` if it is covered; otherwise the end of the last piece before it. Nothing if it
    /// is before the first piece.
    [[nodiscard]] std::optional<std::uint64_t> last_until(std::uint64_t ps) const;

private:
    void update(std::uint64_t ps);

    WindowPlan plan_;
    std::vector<Piece> pieces_;
    std::uint32_t next_token_ = 0;
    bool in_layer_ = false, had_layer_ = false;
    std::uint32_t running_ = 0;
    bool is_open_ = false;
};

} // namespace levee::trace
