// SPDX-License-Identifier: Apache-2.0
#include "ip/cim_macro/boundary.hpp"

namespace levee::cim_macro {

Outputs Boundary::settle(const Inputs& in) const
{
    Outputs out;
    out.load_ready = bits_ == 0 && !is_open_;
    out.in_ready = bits_ == 0 && (!waits_ || in.out_ready);
    out.out_valid = waits_;
    return out;
}

void Boundary::edge(const Inputs& in)
{
    const bool takes = in.pass != nullptr && settle(in).in_ready;
    if (in.out_ready)
        waits_ = false;
    if (bits_ > 0 && --bits_ == 0)
        waits_ = !is_open_;
    if (!takes)
        return;
    bits_ = pass_bits;
    is_open_ = !in.pass->is_last;
}

} // namespace levee::cim_macro
