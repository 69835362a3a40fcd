// SPDX-License-Identifier: Apache-2.0
// The views, besides its pins, of a design that was built while Levee runs.
#pragma once

#include <cstddef>

namespace levee::own_rtl {

/// A port of the design. Its bits begin at `data`, the lowest first; the higher bits of the stored
/// value are 0.
struct PortView {
    const char* name = nullptr;
    bool is_input = false;
    unsigned bits = 0;
    const unsigned char* data = nullptr;
};

/// Recording of the most recently created object of the design.
struct Recording {
    /// Calls `sink` with `user` before each rising edge of the clock, when the ports hold the
    /// cycle's inputs and outputs. Null: stops the calls.
    void (*on_edge)(void (*sink)(void* user), void* user) = nullptr;
    /// Sets `views` to the design's ports and returns their number; `views` is valid as long as the
    /// object.
    std::size_t (*ports)(const PortView** views) = nullptr;
    /// Writes Verilator's coverage file.
    void (*write_coverage)(const char* path) = nullptr;
};

} // namespace levee::own_rtl
