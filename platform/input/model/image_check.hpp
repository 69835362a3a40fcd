// SPDX-License-Identifier: Apache-2.0
// The checks of an image's header and tensor table.
#pragma once

#include "platform/input/model/model_shape.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace levee {

constexpr std::uint64_t section_alignment = 64;

/// Checksum for the header of an image, which has at least a header.
std::uint32_t image_crc(std::span<const std::uint8_t> image);

/// Magic, version, sizes, CRC and the fields' own ranges.
levee_model_header checked_header(std::span<const std::uint8_t> image, const std::string& source);

/// The table of tensors, within the image.
std::vector<levee_tensor_entry> read_entries(std::span<const std::uint8_t> image,
                                             const levee_model_header& header,
                                             const std::string& source);

/// The shape that header and table together describe, checked. A classifier, a BQ or a BO in the
/// table decides what the header leaves open.
ModelShape checked_shape(std::span<const std::uint8_t> image, const levee_model_header& header,
                         std::span<const levee_tensor_entry> entries, const std::string& source);

/// Every tensor of the shape once, no other, with the right type, size, place and alignment.
void check_tensors(const levee_model_header& header, const ModelShape& shape,
                   std::span<const levee_tensor_entry> entries, const std::string& source);

} // namespace levee
