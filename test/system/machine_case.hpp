// SPDX-License-Identifier: Apache-2.0
// Runs small models on machines that keep the weights in a computing memory, and compares logits
// with a reference.
#pragma once

#include "platform/input/import/synthetic.hpp"
#include "platform/input/model/model_image.hpp"
#include "test/reference/composed_transformer.hpp"
#include "test/system/both_kinds.hpp"

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace levee::test {

using Ids = std::vector<std::uint32_t>;

inline constexpr std::size_t new_tokens = 5;

inline Ids prompt()
{
    return {17, 250, 3, 99, 121, 8, 44};
}

/// Returns `model:` and `workload:` of a scenario. `more` has further keys of the workload.
inline std::string model_and_workload(const std::string& scheduler, const std::string& more = "")
{
    return "model: {image: model.levee}\nworkload: {app: generate, scheduler: " + scheduler +
           ", prompt_ids: " + nlohmann::json(std::vector<Ids>{prompt()}).dump() +
           ", max_new_tokens: " + std::to_string(new_tokens) + ", stop_token: none" + more + "}\n";
}

inline void save_model(const Workplace& place, const ModelShape& shape,
                       levee_type weights = LEVEE_TYPE_INT8)
{
    SyntheticOptions options;
    options.weights = weights;
    const std::vector<std::uint8_t> bytes = import_synthetic(shape, options);
    place.write("model.levee", std::string(bytes.begin(), bytes.end()));
}

/// Executes a reference's prefill step. `whole` means that the prefill's attention is not tiled.
inline std::vector<float> prefill_step(auto& reference, std::uint32_t token, bool whole)
{
    if constexpr (requires { reference.step(token, std::size_t{1}); })
        return whole ? reference.step(token, std::size_t{1} << 20) : reference.step(token);
    else
        return reference.step(token);
}

/// Runs the scenario with the saved model. Its logits must equal those of the reference make(image)
/// bit for bit. `whole` means that a prefill's attention is not tiled, and that local layers keep
/// its last tokens. Returns the metrics.
inline nlohmann::json check_logits(const Workplace& place, const std::string& scenario, auto make,
                                   const std::vector<std::string>& more = {}, bool whole = false)
{
    place.write("scenario.yaml", scenario + "observe: {logits: logits.f32}\n");
    std::vector<std::string> arguments{"run", "scenario.yaml", "--out", "out", "--allow-outside"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = place.levee(arguments);
    INFO(outcome.text);
    REQUIRE(outcome.code == 0);
    const nlohmann::json results = place.results("out");
    const auto tokens = results.at("tokens").get<std::vector<Ids>>();
    const ModelImage image = ModelImage::open(place.path("model.levee"));
    auto reference = make(image);
    std::vector<float> expected, last;
    for (const std::uint32_t token : prompt())
        last = prefill_step(reference, token, whole);
    for (std::size_t i = 0; i < new_tokens; ++i) {
        expected.insert(expected.end(), last.begin(), last.end());
        last = reference.step(tokens.at(0).at(i));
    }
    const std::string raw = place.read("out/logits.f32");
    REQUIRE(raw.size() == expected.size() * sizeof(float));
    CHECK(std::memcmp(raw.data(), expected.data(), raw.size()) == 0);
    return results.at("metrics");
}

} // namespace levee::test
