// SPDX-License-Identifier: Apache-2.0
// Tests models with several tokens that end a text. Each of them must end it.
#include "platform/input/model/image_check.hpp"
#include "test/system/program.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

using namespace levee;
using namespace levee::test;

namespace {

using Ids = std::vector<std::uint32_t>;

/// Returns the embedded model with additional tokens that end a text.
std::string with_stops(const Ids& stops)
{
    std::ifstream file(std::string(LEVEE_SOURCE) + "/models/embedded/stories.levee",
                       std::ios::binary);
    std::string image{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    levee_model_header header;
    std::memcpy(&header, image.data(), sizeof header);
    header.stops.count = static_cast<std::uint32_t>(stops.size());
    std::copy(stops.begin(), stops.end(), header.stops.tokens);
    std::memcpy(image.data(), &header, sizeof header);
    header.crc32 = image_crc({reinterpret_cast<const std::uint8_t*>(image.data()), image.size()});
    std::memcpy(image.data(), &header, sizeof header);
    return image;
}

/// Returns the tokens of a run with these stop tokens.
Ids generated(const Ids& stops, const std::string& stop_token)
{
    const Workplace place;
    place.write("model.levee", with_stops(stops));
    place.write("scenario.yaml", "system: kelle/systems/kelle.yaml\nmodel: {image: model.levee}\n"
                                 "workload: {app: generate, scheduler: kelle, prompts: ['Once upon "
                                 "a time'], max_new_tokens: 12, stop_token: " +
                                     stop_token + "}\n");
    const Outcome outcome = place.levee({"run", "scenario.yaml", "--out", "out"});
    INFO(outcome.text);
    REQUIRE(outcome.code == 0);
    return place.results("out").at("tokens").at(0).get<Ids>();
}

} // namespace

TEST_CASE("stops: a text ends at the first of its stop tokens, and goes on if it has none")
{
    const Ids all = generated({}, "eos");
    REQUIRE(all.size() == 12);
    const auto until = [&](std::size_t index) {
        const auto first = std::find(all.begin(), all.end(), all[index]);
        return Ids(all.begin(), first + 1);
    };
    CHECK(generated({all[7]}, "eos") == until(7));
    CHECK(generated({all[9], all[4]}, "eos") ==
          (until(9).size() < until(4).size() ? until(9) : until(4)));
    CHECK(generated({all[4]}, "none") == all);
    CHECK(generated({all[4]}, std::to_string(all[9])) == until(9));
}
