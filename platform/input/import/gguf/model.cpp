// SPDX-License-Identifier: Apache-2.0
#include "platform/input/import/gguf/model.hpp"

#include "platform/input/import/gguf/architecture.hpp"
#include "platform/input/import/gguf/file.hpp"
#include "platform/input/import/gguf/tensors.hpp"
#include "platform/input/import/gguf/tokenizer.hpp"
#include "platform/input/model/model_name.hpp"

#include <memory>
#include <utility>

namespace levee {

namespace {

std::string image_name(const gguf::File& file, const std::filesystem::path& path,
                       const GgufOptions& options)
{
    if (!options.name.empty()) {
        return options.name;
    }
    const std::string name = model_name_of(file.text("general.name").value_or(""));
    return name.empty() ? model_name_of(path.stem().string()) : name;
}

} // namespace

ModelSource gguf_source(const std::filesystem::path& path, const GgufOptions& options)
{
    const auto file = std::make_shared<const gguf::File>(path);
    std::vector<std::string> notes;
    const gguf::Architecture model = gguf::read_architecture(*file, notes);
    const auto tensors = std::make_shared<const gguf::Tensors>(*file, model);
    const std::uint32_t vocab = model.shape.vocab;
    Tokenizer tokenizer = options.ids_only ? Tokenizer::numbers(vocab, path.string())
                                           : gguf::read_tokenizer(*file, model.name, vocab, notes);
    return {
        .shape = model.shape,
        .name = image_name(*file, path, options),
        .tokenizer = std::move(tokenizer),
        .phases = model.phases,
        .rows = [file, tensors](const TensorSpec& spec, std::uint32_t first,
                                std::span<float> out) { tensors->read(*file, spec, first, out); },
        .place =
            [file](const TensorSpec& spec) {
                return file->source() + ": tensor " + gguf::tensor_name(spec);
            },
        .notes = std::move(notes)};
}

} // namespace levee
