// SPDX-License-Identifier: Apache-2.0
// GGUF files: their keys, tensors of every element type, and the models that they contain.
#include "fuzz/door.hpp"
#include "platform/input/import/gguf/file.hpp"
#include "platform/input/import/gguf/model.hpp"
#include "platform/input/model/image_writer.hpp"
#include "platform/input/model/model_image.hpp"

#include <algorithm>

namespace {

using namespace levee;

constexpr std::size_t most_values = std::size_t{1} << 16;

void read_tensors(const std::filesystem::path& path)
{
    const gguf::File file(path);
    for (const auto& [name, tensor] : file.tensors()) {
        const std::uint64_t values = tensor.dimensions.empty() ? 1 : tensor.dimensions.front();
        if (values > most_values)
            continue;
        std::vector<float> row(values);
        file.read_rows(tensor, 0, row);
    }
}

void import(const std::filesystem::path& path)
{
    const ModelSource source = gguf_source(path, {.ids_only = false, .name = "fuzz"});
    (void)ModelImage::parse(image_in_memory(source, LEVEE_TYPE_INT8), "image");
}

} // namespace

std::string levee::fuzz::feed(Bytes input)
{
    static const Folder folder;
    const std::filesystem::path file = folder.write("input.gguf", input);
    const std::string message = refusal<ModelError>("", [&] { import(file); });
    return message + refusal<ModelError>("input.gguf", [&] { read_tensors(file); });
}
