// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/rtl/bench.hpp"
#include "ip/element_serial/pins.hpp"

#include <memory>

namespace levee::cosim {

/// Any design behind the element-serial unit's pins. `options.seed` is also the stimulus's.
[[nodiscard]] std::unique_ptr<Bench> make_element_serial_bench(element_serial::MakePins make,
                                                               const RtlPinsOptions& options);

} // namespace levee::cosim
