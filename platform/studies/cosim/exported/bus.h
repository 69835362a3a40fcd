// SPDX-License-Identifier: Apache-2.0
// The ports of @block@. Made by levee cosim --export.
#pragma once

#include "link.hpp"

namespace levee::dpi {

struct Bus {
@members@
    void put_inputs(Vector& vector) const
    {
@puts@    }
    void take_outputs(Vector& vector)
    {
@takes@    }
};

} // namespace levee::dpi
