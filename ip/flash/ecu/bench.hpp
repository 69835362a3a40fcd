// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/rtl/bench.hpp"
#include "ip/flash/ecu/pins.hpp"

#include <memory>

namespace levee::cosim {

/// Any design behind the error correction unit's pins. `options.seed` is also the stimulus's.
[[nodiscard]] std::unique_ptr<Bench> make_flash_ecu_bench(flash::ecu::MakePins make,
                                                          const RtlPinsOptions& options);

} // namespace levee::cosim
