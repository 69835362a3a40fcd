// SPDX-License-Identifier: Apache-2.0
// Adds recording to Verilator's class of a design. Only the file that build.cpp writes includes
// this header. That file defines LEVEE_PORTS as LEVEE_PORT(name, is_input, bits) for each port.
#pragma once

#include "Vown.h"
#include "core/rtl/build/recording.hpp"

#include <vector>
#include <verilated_cov.h>

namespace levee::own_rtl {

class RecordedDesign : public Vown {
public:
    explicit RecordedDesign(VerilatedContext* context) : Vown(context) { last = this; }

    void eval()
    {
        const bool rises = clk_i != 0 && !was_high_;
        was_high_ = clk_i != 0;
        if (rises && sink != nullptr && last == this)
            sink(user);
        Vown::eval();
    }

    static inline RecordedDesign* last = nullptr;
    static inline void (*sink)(void*) = nullptr;
    static inline void* user = nullptr;

private:
    bool was_high_ = false;
};

inline void on_edge(void (*sink)(void*), void* user)
{
    RecordedDesign::sink = sink;
    RecordedDesign::user = user;
}

inline std::size_t ports(const PortView** views)
{
    const RecordedDesign& top = *RecordedDesign::last;
#define LEVEE_PORT(name, is_input, bits)                                                           \
    PortView{#name, is_input, bits, reinterpret_cast<const unsigned char*>(&top.name)},
    static std::vector<PortView> all;
    all = {LEVEE_PORTS};
#undef LEVEE_PORT
    *views = all.data();
    return all.size();
}

inline void write_coverage(const char* path)
{
    RecordedDesign::last->contextp()->coveragep()->write(path);
}

} // namespace levee::own_rtl
