// SPDX-License-Identifier: Apache-2.0
// Files of requests (workload.requests).
#include "platform/input/workload/requests.hpp"

#include "fuzz/door.hpp"
#include "platform/input/model/model_image.hpp"

std::string levee::fuzz::feed(Bytes input)
{
    static const Folder folder;
    static const ModelImage image = ModelImage::open(LEVEE_MODELS "/embedded/stories.levee");
    config::WorkloadConfig config;
    config.requests.emplace();
    config.requests->file = folder.write("input.csv", input);
    return refusal<config::Error>("input.csv", [&] {
        PreparedWorkload prepared;
        add_requests(config, image, prepared);
    });
}
