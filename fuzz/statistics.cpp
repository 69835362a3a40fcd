// SPDX-License-Identifier: Apache-2.0
// Statistics of the cache's decisions.
#include "platform/observe/decisions/statistics.hpp"

#include "fuzz/door.hpp"

std::string levee::fuzz::feed(Bytes input)
{
    return refusal<config::Error>("input.yaml", [&] {
        const config::Node node = config::parse_yaml(text_of(input), "input.yaml");
        check_statistics(node);
        for (const config::Key& kind : statistics_keys())
            if (node.find(kind.name) != nullptr)
                for (const std::uint32_t budget : {0U, 96U, ~0U})
                    (void)read_statistics(node, kind.name, budget);
    });
}
