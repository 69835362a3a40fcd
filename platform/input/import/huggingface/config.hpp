// SPDX-License-Identifier: Apache-2.0
// A model's config.json, as Hugging Face's transformers writes it.
#pragma once

#include "platform/input/import/folds.hpp"
#include "platform/input/import/huggingface/families.hpp"
#include "platform/input/import/huggingface/json_view.hpp"
#include "platform/input/import/huggingface/quantization.hpp"
#include "platform/input/model/model_shape.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace levee::hf {

/// Part of a model that is taken: all of it, which a run must be able to compute, or its sizes.
enum class Part { weights, shape };

struct Config {
    const Family* family = nullptr;
    Quantization quantization;
    ModelShape shape;
    /// Turns per position in units of 2^-32, scaled as the file says; empty where positions are
    /// learned.
    std::vector<std::uint32_t> phases;
    std::vector<std::uint32_t> local_phases; ///< of local layers; empty: the same
    std::optional<std::uint32_t> eos;        ///< ends a text: the first, where there are several
    std::vector<std::uint32_t> stops;        ///< the others
    std::string name;                        ///< its folder's, as much as an image holds
    std::string origin;                      ///< the file
    /// What a run does otherwise than the model, or was not said, a sentence each.
    std::vector<std::string> notes;
    std::vector<std::string> remarks; ///< others, of no figure
    Folds folds;                      ///< constants that become part of the weights
    double score_magnitude = 1.0;     ///< DeepSeek's factor of scores where positions are scaled
    bool merges_norms = false;        ///< those before matrices do, too (merged_norms.hpp)
    /// Tokens for which positions are scaled as `phases` are; 0: all.
    std::uint32_t longest_scaled = 0;
};

/// Any of families.cpp; of a model of texts and images, the shape of what reads texts. A key that
/// is not given has the value that transformers takes for it; sizes must be given. Throws
/// ModelError naming file and key, also for whatever the image or the firmware cannot do, and for
/// keys that are not known, but for those that are to be ignored.
Config read_config(const std::filesystem::path& file, Part part,
                   const std::vector<std::string>& ignored_keys = {});

/// "config.json" of a folder, or the file itself.
std::filesystem::path config_file(const std::filesystem::path& file_or_folder);

} // namespace levee::hf
