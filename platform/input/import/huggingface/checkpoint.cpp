// SPDX-License-Identifier: Apache-2.0
#include "platform/input/import/huggingface/checkpoint.hpp"

#include "platform/input/import/huggingface/config.hpp"
#include "platform/input/import/huggingface/safetensors.hpp"
#include "platform/input/import/huggingface/tensor_names.hpp"
#include "platform/input/import/huggingface/tokenizer_files.hpp"
#include "platform/input/import/merged_norms.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace levee::hf {

namespace {

/// Files that stay open while an image is written.
struct Checkpoint {
    Config config;
    StoredTensors stored;
    TensorPlaces places;

    const TensorPlace& place_of(const TensorSpec& spec) const
    {
        return places.at({spec.layer, spec.kind});
    }

    void rows(const TensorSpec& spec, std::uint32_t first, std::span<float> out) const
    {
        read(spec, first, out);
        if (config.merges_norms)
            merge_norms(config.shape, spec, out,
                        [this](const TensorSpec& other, std::uint32_t row,
                               std::span<float> values) { read(other, row, values); });
        config.folds.apply(config.shape, spec, first, out);
    }

    void read(const TensorSpec& spec, std::uint32_t first, std::span<float> out) const
    {
        const TensorPlace& place = place_of(spec);
        if (place.parts.empty())
            read(place, spec, first, out);
        else
            read_parts(place, spec, first, out);
    }

    /// Reads rows of a tensor whose parts are in several stored tensors. A bias is read as a whole;
    /// each of its values counts as a row of a part.
    void read_parts(const TensorPlace& place, const TensorSpec& spec, std::uint32_t first,
                    std::span<float> out) const
    {
        const std::uint32_t in_row = spec.role == TensorRole::vector ? 1 : spec.cols;
        while (!out.empty()) {
            const std::uint32_t row = first % place.part_rows;
            const auto left = static_cast<std::uint32_t>(out.size() / in_row);
            const std::uint32_t count = std::min(left, place.part_rows - row);
            const std::size_t values = std::size_t{count} * in_row;
            read(place.parts[first / place.part_rows], spec, row, out.first(values));
            out = out.subspan(values);
            first += count;
        }
    }

    void read(const TensorPlace& place, const TensorSpec& spec, std::uint32_t first,
              std::span<float> out) const
    {
        if (place.constant)
            std::ranges::fill(out, *place.constant);
        else if (place.matrix)
            place.matrix->read(place.rows_before + first, out);
        else
            read_stored(place, spec, first, out);
    }

    void read_stored(const TensorPlace& place, const TensorSpec& spec, std::uint32_t first,
                     std::span<float> out) const
    {
        const StoredTensor& tensor = stored.at(place.name);
        const std::uint64_t in_row = tensor.shape.size() > 1 ? spec.cols : 1; // a bias has one
                                                                              // value per row
        read_values(tensor, place.rows_before * in_row + std::uint64_t{first} * spec.cols, out);
    }

    RowPlace place(const TensorSpec& spec, std::uint32_t row) const
    {
        const TensorPlace& whole = place_of(spec);
        if (whole.constant)
            return {"tensor " + tensor_place(spec.kind, spec.layer), row};
        const bool in_parts = !whole.parts.empty() && spec.role == TensorRole::matrix;
        const TensorPlace& place = in_parts ? whole.parts[row / whole.part_rows] : whole;
        const std::uint32_t in_place = in_parts ? row % whole.part_rows : row;
        RowPlace found{tensor_title(stored.at(place.name), place.name),
                       place.rows_before + in_place};
        if (in_parts)
            found.together = whole.part_rows - in_place;
        return found;
    }
};

} // namespace

ModelSource safetensors_source(const std::filesystem::path& folder, const std::string& name,
                               const std::vector<std::string>& ignored_keys)
{
    if (!std::filesystem::is_directory(folder))
        throw ModelError(folder.string() + ": is not a folder; expected one with config.json and "
                                           "model.safetensors");
    const auto checkpoint = std::make_shared<Checkpoint>();
    checkpoint->config = read_config(folder / "config.json", Part::weights, ignored_keys);
    const Config& config = checkpoint->config;
    std::vector<std::string> notes = config.remarks;
    notes.insert(notes.end(), config.notes.begin(), config.notes.end());
    checkpoint->stored = read_safetensors_folder(folder);
    checkpoint->places = place_tensors(config, checkpoint->stored, folder.string(), notes);
    Tokenizer tokenizer = read_tokenizer(folder, config.shape.vocab, config.eos, notes);
    const std::uint32_t chat = read_chat(folder, tokenizer, notes);
    return {.shape = config.shape,
            .name = name.empty() ? config.name : name,
            .tokenizer = std::move(tokenizer),
            .phases = config.phases,
            .local_phases = config.local_phases,
            .rows = [checkpoint](const TensorSpec& spec, std::uint32_t first,
                                 std::span<float> out) { checkpoint->rows(spec, first, out); },
            .place = [checkpoint](const TensorSpec& spec,
                                  std::uint32_t row) { return checkpoint->place(spec, row); },
            .stops = config.stops,
            .chat = chat,
            .notes = std::move(notes)};
}

} // namespace levee::hf
