// SPDX-License-Identifier: Apache-2.0
// Access to a design that was built while Levee runs, in addition to its pins.
#pragma once

#include <cstddef>

namespace levee::own_rtl {

/// A port of the design. Its bits are stored from `data` on, the lowest first. Unused higher bits
/// are 0.
struct PortView {
    const char* name = nullptr;
    bool is_input = false;
    unsigned bits = 0;
    const unsigned char* data = nullptr;
};

/// Recording of the most recently created instance of the design.
struct Recording {
    /// Makes the design call `sink` with `user` before each rising clock edge, when the ports have
    /// the cycle's inputs and outputs. Null stops the calls.
    void (*on_edge)(void (*sink)(void* user), void* user) = nullptr;
    /// Sets `views` to the design's ports and returns their number. `views` is valid as long as the
    /// instance.
    std::size_t (*ports)(const PortView** views) = nullptr;
    /// Writes Verilator's coverage file.
    void (*write_coverage)(const char* path) = nullptr;
};

} // namespace levee::own_rtl
