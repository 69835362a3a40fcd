// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/rtl/fst_file.hpp"
#include "core/rtl/rtl_history.hpp"
#include "core/rtl/rtl_recorder.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace levee {

/// Repeats the work that led to a deviation, to record it and to find the state that causes it.
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

    /// Records the work up to the deviation. The recording begins with the piece of work in which
    /// the state first went wrong. If that piece is not found, the recording begins at the last
    /// saved state but one.
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
        std::size_t piece = 0; ///< Piece at which a waveform should begin.
        std::string text;
    };

    [[nodiscard]] bool can_restore() const { return pieces_.front().state != nullptr; }
    /// Last piece up to `piece` whose preceding state was saved.
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
    /// Waits for results that are still in the design.
    static void end(Driver& driver)
    {
        if constexpr (requires { driver.drain(); })
            if (!driver.value() && !driver.cycle())
                driver.drain();
    }

    /// Records the state before piece `begin` at time 0, and the states after each piece from there
    /// on at times 1, 2, ... With `from_reset`, a copy of the design that is reset before `begin`
    /// is recorded instead.
    void record_states(const std::filesystem::path& fst, std::size_t begin, bool from_reset) const
    {
        const auto pins = make_({});
        Driver driver(*pins, true);
        std::size_t i = from_reset ? begin : last_state(begin);
        if (!from_reset)
            restore(driver, *pins, pieces_[i]);
        for (; i < begin; ++i)
            repeat_(driver, pins->size(), *pieces_[i].work);
        pins->trace({fst, nullptr, true});
        pins->mark(0);
        for (; i + 1 < pieces_.size() && !driver.value() && !driver.cycle(); ++i) {
            repeat_(driver, pins->size(), *pieces_[i].work);
            pins->mark(i - begin + 1);
        }
        pins->trace({});
    }

    /// Whether a copy of the design that is reset before piece `first`, and then given the same
    /// work, also deviates.
    [[nodiscard]] bool recurs_from(std::size_t first) const
    {
        const auto pins = make_({});
        Driver driver(*pins, true);
        for (std::size_t i = first; i < pieces_.size() && !driver.value() && !driver.cycle(); ++i)
            repeat_(driver, pins->size(), *pieces_[i].work);
        end(driver);
        return driver.value() || driver.cycle();
    }
    /// Returns the first piece p with this property: a copy that is reset before p does not
    /// deviate, but a copy that is reset before piece p - 1 does. Returns 0 if there is none.
    [[nodiscard]] std::size_t first_without() const
    {
        std::size_t without = pieces_.size(), with = pieces_.size() - 1;
        while (!recurs_from(with)) {
            without = with;
            if (with == 0)
                return 0;
            with -= std::min(with, pieces_.size() - with);
        }
        while (without - with > 1) {
            const std::size_t middle = with + (without - with) / 2;
            (recurs_from(middle) ? with : without) = middle;
        }
        return without;
    }

    /// Finds the cause in the recorded states. They are compared with the states of a copy that was
    /// reset and given the same work, but did not deviate. Only registers that depend on earlier
    /// history differ.
    [[nodiscard]] Cause find_cause(const std::filesystem::path& fst) const
    {
        const std::size_t begin = first_without();
        if (begin == pieces_.size())
            return {begin - 1, "  state      a copy of the design that was reset " +
                                   since(begin - 1) + " differs, too\n"};
        const std::filesystem::path own = fst.string() + ".state", fresh = fst.string() + ".fresh";
        record_states(own, begin, false);
        record_states(fresh, begin, true);
        std::vector<FstDifference> all = differing_signals(own, fresh, pieces_.size() - 1 - begin);
        std::filesystem::remove(own);
        std::filesystem::remove(fresh);
        sort_by_beginning(all);
        return {begin_of_wave(begin, all), text_of(begin, all)};
    }
    /// Returns the piece in which the state first differed, or the piece from which a copy must run
    /// to deviate. If neither is known, returns the piece of the last saved state but one.
    [[nodiscard]] std::size_t begin_of_wave(std::size_t begin,
                                            const std::vector<FstDifference>& all) const
    {
        if (!all.empty() && all.front().since != 0)
            return begin + all.front().since - 1;
        if (begin > 0)
            return begin - 1;
        const std::size_t last = last_state(pieces_.size() - 1);
        return last > 0 ? last_state(last - 1) : 0;
    }
    [[nodiscard]] std::string text_of(std::size_t begin,
                                      const std::vector<FstDifference>& all) const
    {
        std::string text;
        if (begin > 0)
            text = "  state      a copy of the design that was reset " + since(begin - 1) +
                   " differs, too;\n";
        text += (begin > 0 ? "             one" : "  state      a copy of the design") +
                std::string(" that was reset ") + since(begin) + " does not differ" +
                (all.empty() ? "" : "; it has other state:") + "\n";
        constexpr std::size_t most = 8;
        for (std::size_t i = 0; i < std::min(most, all.size()); ++i)
            text += text_of(begin, all[i]);
        if (all.size() > most)
            text += "             and " + std::to_string(all.size() - most) + " more\n";
        return text;
    }
    [[nodiscard]] std::string since(std::size_t piece) const
    {
        const std::size_t count = pieces_.size() - piece;
        return (count == 1 ? "just before this piece of work"
                           : std::to_string(count) + " pieces of work before") +
               std::string(", at ") + std::to_string(pieces_[piece].ps) + " ps,";
    }
    [[nodiscard]] std::string text_of(std::size_t begin, const FstDifference& difference) const
    {
        std::string text = "             " + difference.signal + " = " + difference.first +
                           ", in the copy " + difference.second;
        if (difference.since == 0)
            return text + ", all the time\n";
        const Piece& piece = pieces_[begin + difference.since - 1];
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
