// SPDX-License-Identifier: Apache-2.0
// The form of a model in memory, where a scenario adds to the image.
#pragma once

#include "platform/input/model/kept_image.hpp"
#include "platform/input/model/model_image.hpp"

#include <span>
#include <vector>

namespace levee {

struct MemoryForm {
    bool fp16 = false; ///< matrices in FP16, whatever the image has
    /// Matrices stored [cols][rows], each by its first tensor (LEVEE_TENSOR_COLUMNS_FIRST). A tied
    /// classifier gets separate data.
    std::vector<levee_tensor_kind> columns_first{};

    [[nodiscard]] bool unties() const;
};

/// The same model in that form: in FP16 a weight is code * scale, rounded once. Only `unties` and
/// `fp16` matter here. Throws ModelError for a weight that FP16 cannot hold.
[[nodiscard]] ModelImage image_in_form(ModelImage image, const MemoryForm& form);

/// Memory contents of an image whose matrices are stored as [cols][rows]. Throws ModelError unless
/// its weights are FP16.
[[nodiscard]] MemoryImage columns_first_image(const ModelImage& image,
                                              std::span<const levee_tensor_kind> matrices);

} // namespace levee
