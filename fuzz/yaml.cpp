// SPDX-License-Identifier: Apache-2.0
// The subset of YAML that all of Levee's files use. An input is parsed to a tree, which is
// converted to JSON.
#include "core/config/node.hpp"
#include "fuzz/door.hpp"

#include <nlohmann/json.hpp>

std::string levee::fuzz::feed(Bytes input)
{
    return refusal<config::Error>("input.yaml", [&] {
        (void)config::to_json(config::parse_yaml(text_of(input), "input.yaml")).dump();
    });
}
