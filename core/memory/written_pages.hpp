// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>

namespace levee {

class Storage;

/// Calls visit(offset, bytes) for each host page of a storage that has been written, in order. May
/// also visit unwritten pages, which are 0.
void visit_written_pages(
    Storage& storage,
    const std::function<void(std::uint64_t offset, std::span<const std::uint8_t>)>& visit);

} // namespace levee
