// SPDX-License-Identifier: Apache-2.0
// Checks an image's header and its table of tensors.
#pragma once

#include "platform/input/model/model_shape.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace levee {

constexpr std::uint64_t section_alignment = 64;

/// Returns the checksum of an image, for its header. The image must consist of at least a header.
std::uint32_t image_crc(std::span<const std::uint8_t> image);

/// Checks magic, version, sizes and CRC, and the fields that are neither the shape's nor the
/// table's. Returns the header.
levee_model_header checked_header(std::span<const std::uint8_t> image, const std::string& source);

/// Returns the table of tensors, which must lie within the image.
std::vector<levee_tensor_entry> read_entries(std::span<const std::uint8_t> image,
                                             const levee_model_header& header,
                                             const std::string& source);

/// Checks the shape that the header and the table describe together, and returns it. Properties
/// that the header does not state follow from tensors in the table, such as a classifier, a BQ or a
/// BO.
ModelShape checked_shape(std::span<const std::uint8_t> image, const levee_model_header& header,
                         std::span<const levee_tensor_entry> entries, const std::string& source);

/// Checks that the table has each tensor of the shape exactly once, and no other tensors. Also
/// checks their types, sizes, places and alignment.
void check_tensors(const levee_model_header& header, const ModelShape& shape,
                   std::span<const levee_tensor_entry> entries, const std::string& source);

} // namespace levee
