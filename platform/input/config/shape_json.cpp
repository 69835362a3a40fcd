// SPDX-License-Identifier: Apache-2.0
#include "platform/input/config/shape_json.hpp"

#include "platform/input/import/huggingface/shape_file.hpp"

namespace levee::config {

namespace {

/// Removes line numbers from places, since they are lines of generated YAML and not of the user's
/// file.
void drop_lines(Node& node)
{
    node.place.line = 0;
    for (Node::Entry& entry : node.entries) {
        entry.place.line = 0;
        drop_lines(entry.value);
    }
}

} // namespace

Node shape_of_json(const std::filesystem::path& file, const Place& referrer)
{
    try {
        Node shape = parse_yaml(
            hf::shape_yaml(hf::read_config(file, hf::Part::shape), LEVEE_TYPE_INT8), file.string());
        drop_lines(shape);
        return shape;
    } catch (const ModelError& error) {
        throw Error(referrer, error.what());
    }
}

} // namespace levee::config
