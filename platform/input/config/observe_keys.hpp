// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/keys.hpp"
#include "platform/input/config/waves.hpp"

namespace levee::config {

inline constexpr Word wave_format_words[] = {{"fst", static_cast<std::int64_t>(WaveFormat::Fst)},
                                             {"vcd", static_cast<std::int64_t>(WaveFormat::Vcd)}};

inline constexpr Limits wave_times{0, INT64_MAX};
inline constexpr Key waves_keys[] = {
    quantity("from", Dimension::Time, "Simulated time at which the waveforms begin.", wave_times)
        .or_else("0 ps"),
    quantity("to", Dimension::Time, "Simulated time at which the waveforms end.", wave_times)
        .or_else_is("the end of the run"),
    word("format", wave_format_words, "Format of the file.").or_else("fst"),
};

inline constexpr Key observe_keys[] = {
    text("logits",
         "File in the output folder for all logits from which tokens are picked, as raw FP32.")
        .optional(),
    text("retention_log", "CSV file in the output folder with every row of refreshed cells in "
                          "which bits newly failed.")
        .optional(),
    text("lifetimes", "CSV file in the output folder with the times at which data in refreshed "
                      "cells are written and discarded.")
        .optional(),
    text("script", "File that pauses the run and changes registers or memory (docs/debugging.md).")
        .optional(),
    flag("report", "The run writes report.html.").or_else("true"),
    map("waves", waves_keys, "Waveforms of the blocks that run RTL (docs/rtl.md).").optional(),
};

} // namespace levee::config
