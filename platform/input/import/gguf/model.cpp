// SPDX-License-Identifier: Apache-2.0
#include "platform/input/import/gguf/model.hpp"

#include "platform/input/import/gguf/architecture.hpp"
#include "platform/input/import/gguf/file.hpp"
#include "platform/input/import/gguf/tensors.hpp"
#include "platform/input/import/gguf/tokenizer.hpp"
#include "platform/input/import/merged_norms.hpp"
#include "platform/input/model/model_name.hpp"

#include <memory>
#include <utility>

namespace levee {

namespace {

std::string image_name(const gguf::File& file, const std::filesystem::path& path,
                       const GgufOptions& options, std::vector<std::string>& notes)
{
    if (!options.name.empty()) {
        return options.name;
    }
    std::string name = file.text("general.name").value_or("");
    if (model_name_of(name).empty()) {
        name = path.stem().string();
    }
    if (const auto note = note_on_name(name)) {
        notes.push_back(*note);
    }
    return model_name_of(name);
}

} // namespace

ModelSource gguf_source(const std::filesystem::path& path, const GgufOptions& options)
{
    const auto file = std::make_shared<const gguf::File>(path);
    std::vector<std::string> notes;
    const gguf::Architecture model = gguf::read_architecture(*file, options.ignored_keys, notes);
    const auto tensors = std::make_shared<const gguf::Tensors>(*file, model);
    const std::uint32_t vocab = model.shape.vocab;
    Tokenizer tokenizer = options.ids_only ? gguf::number_tokenizer(*file, vocab)
                                           : gguf::read_tokenizer(*file, model.name, vocab, notes);
    std::vector<std::uint32_t> stops = gguf::read_stops(*file, tokenizer.eos(), vocab);
    const std::uint32_t chat = gguf::read_chat(*file, tokenizer, notes);
    std::string name = image_name(*file, path, options, notes);
    return {.shape = model.shape,
            .name = std::move(name),
            .tokenizer = std::move(tokenizer),
            .phases = model.phases,
            .local_phases = model.local_phases,
            .rows =
                [file, tensors, model](const TensorSpec& spec, std::uint32_t first,
                                       std::span<float> out) {
                    const auto read = [&](const TensorSpec& of, std::uint32_t row,
                                          std::span<float> values) {
                        tensors->read(*file, of, row, values);
                    };
                    read(spec, first, out);
                    if (model.merges_norms)
                        merge_norms(model.shape, spec, out, read);
                    model.folds.apply(model.shape, spec, first, out);
                },
            .place = [file,
                      tensors](const TensorSpec& spec,
                               std::uint32_t row) { return tensors->row_place(*file, spec, row); },
            .stops = std::move(stops),
            .chat = chat,
            .notes = std::move(notes)};
}

std::string gguf_architectures()
{
    return gguf::architecture_names(", ");
}

std::string gguf_tensor_types()
{
    return gguf::readable_types(", ");
}

} // namespace levee
