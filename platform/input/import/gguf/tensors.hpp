// SPDX-License-Identifier: Apache-2.0
// Tensors of a model in a GGUF file. They are found by the names that the converters of llama.cpp
// give them.
#pragma once

#include "platform/input/import/gguf/architecture.hpp"
#include "platform/input/import/gguf/file.hpp"
#include "platform/input/model/model_source.hpp"

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>

namespace levee::gguf {

/// Returns the tensor's name in a file, such as "blk.3.attn_q.weight".
std::string tensor_name(const Architecture& architecture, const TensorSpec& spec);
/// Returns the name of the tensor that has all matrices of a group, if the file stores them in one
/// tensor.
std::optional<std::string> fused_name(const File& file, const Architecture& architecture,
                                      const TensorGroup& group);

/// Finds an architecture's tensors in a file. The result points into the file, which must outlive
/// it.
class Tensors {
public:
    /// Throws ModelError with the name of a tensor that is missing, has other dimensions, or does
    /// not belong to the architecture. If an unknown tensor were ignored, the model would be a
    /// different one.
    Tensors(const File& file, const Architecture& architecture);

    /// Same as ModelSource::place.
    [[nodiscard]] RowPlace row_place(const File& file, const TensorSpec& spec,
                                     std::uint32_t row) const;
    /// Same as ModelSource::rows.
    void read(const File& file, const TensorSpec& spec, std::uint32_t first,
              std::span<float> out) const;

private:
    void place(const File& file, const Architecture& architecture, const TensorSpec& spec);
    void place_experts(const File& file, const Architecture& architecture, const TensorSpec& spec,
                       std::set<std::string>& expected);
    const Tensor& experts_tensor(const File& file, const std::string& name, std::uint64_t rows,
                                 const TensorSpec& spec, std::uint32_t experts) const;
    void place_parts(const File& file, const TensorGroup& group, const std::string& name);
    void place_latent(const File& file, const Architecture& architecture, const TensorSpec& spec,
                      std::set<std::string>& expected);

    struct Place {
        const Tensor* tensor; ///< tensor in the file; null: all values are `constant`
        std::uint64_t skipped_rows;
        float constant;
        const Tensor* second = nullptr;   ///< for interleaved experts: `tensor` has the gates,
                                          ///< `second` the ups
        std::uint32_t part_rows = 0;      ///< number of rows of each part
        bool is_part = false;             ///< `tensor` is a part of a longer vector
        std::uint64_t skipped_values = 0; ///< number of values of that vector before this part
        std::uint32_t turn = 0;           ///< the row in the file that the image stores first; the
                                          ///< rows before it come last in the image
        std::uint32_t of_head = 0;        ///< number of stored rows per head; the image has
                                          ///< `part_rows` of them
        bool transposed = false;          ///< the rows of each head are stored as columns
    };
    static void read_turned(const File& file, const Place& place, std::uint32_t first,
                            std::span<float> out);
    static void read_of_heads(const File& file, const Place& place, std::uint32_t first,
                              std::span<float> out);
    static void read_transposed(const File& file, const Place& place, std::uint32_t first,
                                std::span<float> out);
    static void read_part(const File& file, const Place& place, std::span<float> out);
    static void read_in_turn(const File& file, const Place& place, std::uint32_t first,
                             std::span<float> out);
    std::map<std::pair<std::uint32_t, levee_tensor_kind>, Place>
        places_; // sources, by layer and kind
};

} // namespace levee::gguf
