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

/// The part of a model to read: the weights, which a run must be able to use, or only the shape.
enum class Part { weights, shape };

struct Config {
    const Family* family = nullptr;
    bool is_text_part = false; ///< the config is the text part of a model of texts and images
    Quantization quantization;
    ModelShape shape;
    /// Turns per position in units of 2^-32, with the file's scaling; empty for learned positions.
    std::vector<std::uint32_t> phases;
    std::vector<std::uint32_t> local_phases; ///< phases of local layers; empty: same as the others
    std::optional<std::uint32_t> eos;        ///< token that ends a text; the first one, if there
                                             ///< are several
    std::vector<std::uint32_t> stops;        ///< the other tokens that end a text
    std::string name;                        ///< name of the model's folder, cut to the length that
                                             ///< an image holds
    std::string origin;                      ///< the config.json that was read
    /// Sentences for the user: differences between the run and the model, and missing
    /// information.
    std::vector<std::string> notes;
    std::vector<std::string> remarks; ///< other sentences, about facts without effect on figures
    Folds folds;                      ///< constants that become part of the weights
    double score_magnitude = 1.0;     ///< DeepSeek's factor for scores when positions are scaled
    bool merges_norms = false;        ///< two norms are merged into one, which also changes
                                      ///< matrices (merged_norms.hpp)
    /// Greatest context for which the scaling in `phases` is valid; 0: any.
    std::uint32_t longest_scaled = 0;
};

/// Reads the config of any family in families.cpp. For a model of texts and images, it reads the
/// config of the text model. A missing key gets the default of transformers, but most sizes must be
/// stated. Throws ModelError with file and key for everything that the image or the firmware does
/// not support. Unknown keys are also errors, unless they are to be ignored.
Config read_config(const std::filesystem::path& file, Part part,
                   const std::vector<std::string>& ignored_keys = {});

/// Returns the path of "config.json" in a folder. If the path is a file, returns the file itself.
std::filesystem::path config_file(const std::filesystem::path& file_or_folder);

} // namespace levee::hf
