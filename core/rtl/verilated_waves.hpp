// SPDX-License-Identifier: Apache-2.0
// Waveforms of Verilated designs. Only for wrapper files, and never together with SystemC.
#pragma once

#include "core/rtl/rtl_waves.hpp"

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <verilated.h>
#include <verilated_fst_c.h>

namespace levee {

/// A model made by Verilator with --trace-fst.
template <typename Top>
concept TracedModel =
    std::is_void_v<decltype(std::declval<Top&>().trace(std::declval<VerilatedFstC*>(), 1))>;

/// An FST file with the signals of a design and additional signals. Times are in picoseconds.
class VerilatedWaves {
public:
    /// `top` is a Verilated model. Throws std::runtime_error if the file cannot be written.
    template <typename Top> VerilatedWaves(Top& top, const WaveFile& file) : beside_(file.beside)
    {
        if constexpr (TracedModel<Top>) {
            constexpr int all_levels = 99;
            top.trace(&fst_, all_levels);
            open(file.fst);
        } else {
            throw std::runtime_error(without_waves);
        }
    }
    VerilatedWaves(const VerilatedWaves&) = delete;
    VerilatedWaves& operator=(const VerilatedWaves&) = delete;

    /// Records all signals at `ps`, which must not decrease. A time that is already recorded is
    /// ignored.
    void dump(std::uint64_t ps);

private:
    void open(const std::filesystem::path& fst);
    void declare(VerilatedFst& fst);
    static void init(void* waves, VerilatedFst* fst, std::uint32_t code);
    static void full(void* waves, VerilatedFst::Buffer* buffer);
    static void change(void* waves, VerilatedFst::Buffer* buffer);

    const WaveSignals* beside_;
    std::uint32_t first_code_ = 0;
    std::uint64_t last_ps_ = 0;
    bool is_empty_ = true;
    VerilatedFstC fst_; // Its destructor closes the file.
};

} // namespace levee
