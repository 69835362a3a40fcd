// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/rtl/lockstep.hpp"
#include "core/rtl/ports.hpp"
#include "core/units/clock.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace levee {

/// Interval of simulated time that a waveform covers.
struct WaveWindow {
    std::uint64_t from_ps = 0, to_ps = UINT64_MAX;
};

/// Records a design in simulated time while a window is open. The file has the design's own
/// signals, a track of transactions, and the expected outputs.
template <typename Ports> class RtlRecorder {
public:
    using Outputs = typename Ports::Outputs;

    /// `opcodes` has the names of opcodes 0, 1, ...
    RtlRecorder(typename Ports::Size size, Clock clock, std::vector<std::string> opcodes,
                std::filesystem::path fst, WaveWindow window)
        : size_(std::move(size)), clock_(clock), fst_(std::move(fst)), window_(window)
    {
        descriptor_ = signals_.add_integer("transaction descriptor");
        opcode_ = signals_.add_integer("transaction opcode", std::move(opcodes));
        tag_ = signals_.add("transaction tag", 32);
        entry_ = signals_.add_integer("transaction entry");
        head_ = signals_.add_integer("transaction head");
        pass_ = signals_.add_integer("transaction pass");
        tile_ = signals_.add_integer("transaction tile");
        Ports::outputs(Outputs{}, size_, SeePorts{[this](const PortRow& row, auto) {
                           const std::size_t index = signals_.add(
                               "TOP expected_" + std::string(row.name), row.bits.total());
                           first_expected_ = first_expected_ == 0 ? index : first_expected_;
                       }});
    }
    RtlRecorder(const RtlRecorder&) = delete;
    RtlRecorder& operator=(const RtlRecorder&) = delete;

    /// Begins a pass of this operation at this place. The pass's first cycle is the driver's
    /// `cycle`, at time `ps`.
    void begin_work(std::uint64_t cycle, std::uint64_t ps, const RtlOperation& operation,
                    const RtlPlace& place)
    {
        base_cycle_ = cycle;
        base_ps_ = ps;
        operation_ = operation;
        work_ = place;
    }
    /// Begins a cycle. Returns false if it is not recorded.
    bool begin_cycle(RtlPins<Ports>& pins, std::uint64_t cycle, const RtlPlace& place)
    {
        const std::uint64_t begin = ps_of(cycle);
        if (begin < window_.from_ps || begin > window_.to_ps) {
            close(pins);
            return false;
        }
        if (!is_open_) {
            pins.trace({fst_, &signals_});
            is_open_ = has_recorded_ = true;
        }
        pins.time(begin, ps_of(cycle + 1));
        show_transaction(place);
        return true;
    }
    void show_expected(const Outputs& outputs)
    {
        std::size_t index = first_expected_;
        Ports::outputs(outputs, size_,
                       SeePorts{[&](const PortRow&, auto words) { signals_.set(index++, words); }});
    }
    /// Ends the work before the driver's `cycle`. The transaction track is empty from here on.
    void end_work(RtlPins<Ports>& pins, std::uint64_t cycle)
    {
        if (!is_open_)
            return;
        for (const std::size_t signal : {descriptor_, opcode_, tag_, entry_, head_, pass_, tile_})
            signals_.set(signal, -1);
        pins.mark(ps_of(cycle) + 1);
    }
    /// Start time of the driver's `cycle`.
    [[nodiscard]] std::uint64_t ps_of(std::uint64_t cycle) const
    {
        return base_ps_ + clock_.span(cycle - base_cycle_);
    }
    /// Completes the waveform file.
    void close(RtlPins<Ports>& pins)
    {
        if (is_open_)
            pins.trace({});
        is_open_ = false;
    }
    [[nodiscard]] bool has_recorded() const { return has_recorded_; }

private:
    void show_transaction(const RtlPlace& place)
    {
        const auto either = [](std::int32_t here, std::int32_t of_work) {
            return here >= 0 ? here : of_work;
        };
        signals_.set(descriptor_, static_cast<std::int64_t>(operation_.descriptor));
        signals_.set(opcode_, operation_.opcode);
        signals_.set(tag_, operation_.tag);
        signals_.set(entry_, either(place.entry, work_.entry));
        signals_.set(head_, either(place.head, work_.head));
        signals_.set(pass_, either(place.pass, work_.pass));
        signals_.set(tile_, either(place.tile, work_.tile));
    }

    typename Ports::Size size_;
    Clock clock_;
    std::filesystem::path fst_;
    WaveWindow window_;
    WaveSignals signals_;
    std::size_t descriptor_ = 0, opcode_ = 0, tag_ = 0, entry_ = 0, head_ = 0, pass_ = 0, tile_ = 0;
    std::size_t first_expected_ = 0; ///< Index of the first expected output; 0: there is none.
    RtlOperation operation_{};
    RtlPlace work_{};
    std::uint64_t base_cycle_ = 0, base_ps_ = 0;
    bool is_open_ = false, has_recorded_ = false;
};

} // namespace levee
