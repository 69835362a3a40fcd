// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/command_observer.hpp"
#include "ip/element_serial/serial_operation.hpp"

#include <cstdint>
#include <vector>

namespace levee::element_serial {

/// Adds the arithmetic events of an operation to `work`, by the table in
/// ip/element_serial/README.md.
void count_work(std::uint8_t opcode, const levee_es_operation& operation, const SerialCost& cost,
                std::vector<CountedEvent>& work);

} // namespace levee::element_serial
