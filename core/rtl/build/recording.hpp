// SPDX-License-Identifier: Apache-2.0
// What a design that was built while Levee runs shows beside its pins.
#pragma once

#include <cstddef>

namespace levee::own_rtl {

/// A port of the design. Its bits, lowest first, begin at `data`; those above them are 0.
struct PortView {
    const char* name = nullptr;
    bool is_input = false;
    unsigned bits = 0;
    const unsigned char* data = nullptr;
};

/// Recording of the latest object made of the design.
struct Recording {
    /// Calls `sink` with `user` at each rising edge of the clock, when the cycle's inputs and
    /// outputs stand at the ports and before the design sees the edge; null: no longer.
    void (*on_edge)(void (*sink)(void* user), void* user) = nullptr;
    /// Its ports, as many as it returns; `views` is valid as long as the object.
    std::size_t (*ports)(const PortView** views) = nullptr;
    /// Writes Verilator's coverage file.
    void (*write_coverage)(const char* path) = nullptr;
};

} // namespace levee::own_rtl
