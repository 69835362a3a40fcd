// SPDX-License-Identifier: Apache-2.0
// YAML as all of Levee's files have it: the tree, and the tree as JSON.
#include "core/config/node.hpp"
#include "fuzz/door.hpp"

#include <nlohmann/json.hpp>

std::string levee::fuzz::feed(Bytes input)
{
    return refusal<config::Error>("input.yaml", [&] {
        (void)config::to_json(config::parse_yaml(text_of(input), "input.yaml")).dump();
    });
}
