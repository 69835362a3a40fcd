// SPDX-License-Identifier: Apache-2.0
// How a scenario changes the form in which a model is in memory.
#pragma once

#include "platform/input/model/kept_image.hpp"
#include "platform/input/model/model_image.hpp"

#include <span>
#include <vector>

namespace levee {

struct MemoryForm {
    bool fp16 = false; ///< matrices are converted to FP16
    /// Matrices stored as [cols][rows], each named by its first tensor
    /// (LEVEE_TENSOR_COLUMNS_FIRST). A tied classifier then gets data of its own.
    std::vector<levee_tensor_kind> columns_first{};

    [[nodiscard]] bool unties() const;
};

/// Converts a model to this form. In FP16, a weight is code * scale, rounded once. Only `unties`
/// and `fp16` are considered here. Throws ModelError for a weight that FP16 cannot represent, and
/// for a classifier that gets data of its own but is not FP16.
[[nodiscard]] ModelImage image_in_form(ModelImage image, const MemoryForm& form);

/// Returns the memory contents for an image whose `matrices` are to be stored as [cols][rows].
/// Throws ModelError unless the image's weights are FP16.
[[nodiscard]] MemoryImage columns_first_image(const ModelImage& image,
                                              std::span<const levee_tensor_kind> matrices);

} // namespace levee
