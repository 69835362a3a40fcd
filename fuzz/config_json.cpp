// SPDX-License-Identifier: Apache-2.0
// A model's config.json, for its weights and for its shape.
#include "fuzz/door.hpp"
#include "platform/input/import/huggingface/shape_file.hpp"
#include "platform/input/model/model_counts.hpp"

namespace {

using namespace levee;

std::string read(const std::filesystem::path& file, hf::Part part)
{
    return fuzz::refusal<ModelError>("config.json", [&] {
        const hf::Config config = hf::read_config(file, part);
        (void)hf::shape_yaml(config, LEVEE_TYPE_INT8);
        (void)parameters_of(config.shape);
    });
}

} // namespace

std::string levee::fuzz::feed(Bytes input)
{
    static const Folder folder;
    const std::filesystem::path file = folder.write("config.json", input);
    const std::string message = read(file, hf::Part::weights);
    return message + read(file, hf::Part::shape);
}
