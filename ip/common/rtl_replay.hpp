// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/common/fst_file.hpp"
#include "ip/common/rtl_history.hpp"
#include "ip/common/rtl_recorder.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace levee {

/// Repeats the work that led to a deviation, to record it and to find the state that it comes from.
template <typename Ports, typename Driver, typename Boundary, typename Work> class RtlReplay {
public:
    using Piece = RtlPiece<Boundary, Work>;
    using Repeat = void (*)(Driver& driver, const typename Ports::Size& size, const Work& work);

    RtlReplay(MakeRtlPins<Ports> make, Repeat repeat, Clock clock, std::vector<std::string> opcodes,
              std::deque<Piece> pieces)
        : make_(make), repeat_(repeat), clock_(clock), opcodes_(std::move(opcodes)),
          pieces_(std::move(pieces))
    {
    }

    /// Records the work from the piece in which state went wrong, as far as that is found, else
    /// from the last state but one, up to the deviation.
    [[nodiscard]] RtlEvidence record(const std::filesystem::path& fst) const
    {
        const Cause cause = can_restore() ? find_cause(fst) : Cause{};
        const std::size_t first = cause.piece;
        const std::size_t from = last_state(first);
        const auto pins = make_({});
        Driver driver(*pins, true);
        restore(driver, *pins, pieces_[from]);
        RtlRecorder<Ports> recorder(pins->size(), clock_, opcodes_, fst, {pieces_[first].ps});
        driver.record(&recorder);
        for (std::size_t i = from; i < pieces_.size(); ++i)
            run(driver, *pins, recorder, pieces_[i]);
        end(driver);
        recorder.close(*pins);
        return {driver.value() || driver.cycle(), pieces_[first].ps, pieces_.size() - first,
                cause.text};
    }

private:
    struct Cause {
        std::size_t piece = 0; ///< where a wave should begin
        std::string text;
    };

    [[nodiscard]] bool can_restore() const { return pieces_.front().state != nullptr; }
    /// The last piece up to `piece` before which the state was kept.
    [[nodiscard]] std::size_t last_state(std::size_t piece) const
    {
        while (piece > 0 && pieces_[piece].state == nullptr)
            --piece;
        return piece;
    }
    static void restore(Driver& driver, RtlPins<Ports>& pins, const Piece& piece)
    {
        if (piece.state == nullptr)
            return;
        pins.restore(piece.state->design);
        driver.restore(piece.state->boundary);
    }
    void run(Driver& driver, RtlPins<Ports>& pins, RtlRecorder<Ports>& recorder,
             const Piece& piece) const
    {
        if (driver.value() || driver.cycle())
            return;
        recorder.begin_work(driver.cycles(), piece.ps, piece.operation, piece.place);
        repeat_(driver, pins.size(), *piece.work);
        if (!driver.value() && !driver.cycle())
            recorder.end_work(pins, driver.cycles());
    }
    /// Results that are still in the design.
    static void end(Driver& driver)
    {
        if constexpr (requires { driver.drain(); })
            if (!driver.value() && !driver.cycle())
                driver.drain();
    }

    /// Records the state after each piece, at the piece's index; whether there is a deviation.
    bool record_states(const std::filesystem::path& fst, bool from_reset) const
    {
        const auto pins = make_({});
        Driver driver(*pins, true);
        if (!from_reset)
            restore(driver, *pins, pieces_.front());
        pins->trace({fst, nullptr, true});
        pins->mark(0);
        for (std::size_t i = 0; i < pieces_.size(); ++i) {
            repeat_(driver, pins->size(), *pieces_[i].work);
            if (i + 1 == pieces_.size())
                end(driver);
            pins->mark(i + 1);
            if (driver.value() || driver.cycle())
                break;
        }
        pins->trace({});
        return driver.value() || driver.cycle();
    }

    /// Compares the states with those of a copy that was reset before the oldest piece and then
    /// given the same work: a register that only history has changed differs.
    [[nodiscard]] Cause find_cause(const std::filesystem::path& fst) const
    {
        const std::filesystem::path own = fst.string() + ".state", fresh = fst.string() + ".fresh";
        record_states(own, false);
        const bool recurs = record_states(fresh, true);
        std::vector<FstDifference> all = differing_signals(own, fresh, pieces_.size() - 1);
        std::filesystem::remove(own);
        std::filesystem::remove(fresh);
        Cause cause;
        cause.piece = last_state(pieces_.size() - 1);
        if (cause.piece > 0)
            cause.piece = last_state(cause.piece - 1);
        if (recurs)
            return recent();
        cause.text = "  state      a copy that was reset " + since(0) + " does not differ" +
                     (all.empty() ? "" : "; it has other state:") + "\n";
        std::ranges::stable_sort(
            all, {}, [](const FstDifference& d) { return std::pair(d.since == 0, d.since); });
        constexpr std::size_t most = 8;
        for (std::size_t i = 0; i < std::min(most, all.size()); ++i)
            cause.text += text_of(all[i]);
        if (all.size() > most)
            cause.text += "             and " + std::to_string(all.size() - most) + " more\n";
        if (!all.empty() && all.front().since != 0)
            cause.piece = all.front().since - 1;
        return cause;
    }
    /// The deviation does not need what was before the oldest piece: from how late a reset it still
    /// comes.
    [[nodiscard]] Cause recent() const
    {
        std::size_t count = 1;
        while (count < pieces_.size() && !recurs_from(pieces_.size() - count))
            count *= 2;
        const std::size_t first = pieces_.size() - std::min(count, pieces_.size());
        return {first, "  state      a copy that was reset " + since(first) + " differs, too\n"};
    }
    [[nodiscard]] bool recurs_from(std::size_t first) const
    {
        const auto pins = make_({});
        Driver driver(*pins, true);
        for (std::size_t i = first; i < pieces_.size() && !driver.value() && !driver.cycle(); ++i)
            repeat_(driver, pins->size(), *pieces_[i].work);
        end(driver);
        return driver.value() || driver.cycle();
    }
    [[nodiscard]] std::string since(std::size_t piece) const
    {
        const std::size_t count = pieces_.size() - piece;
        return (count == 1 ? "just before this piece of work"
                           : std::to_string(count) + " pieces of work before") +
               std::string(", at ") + std::to_string(pieces_[piece].ps) + " ps,";
    }
    [[nodiscard]] std::string text_of(const FstDifference& difference) const
    {
        std::string text = "             " + difference.signal + " = " + difference.first +
                           ", in the copy " + difference.second;
        if (difference.since == 0)
            return text + ", all the time\n";
        const Piece& piece = pieces_[difference.since - 1];
        return text + ", since descriptor " + std::to_string(piece.operation.descriptor) + " at " +
               std::to_string(piece.ps) + " ps\n";
    }

    MakeRtlPins<Ports> make_;
    Repeat repeat_;
    Clock clock_;
    std::vector<std::string> opcodes_;
    std::deque<Piece> pieces_;
};

} // namespace levee
