// SPDX-License-Identifier: Apache-2.0
// Measures how number formats affect perplexity and agreement with FP32, by the composed reference
// on a trained model (stories260K), if that is available.
#include "core/numerics/numerics.hpp"
#include "ip/sfu/model.hpp"
#include "platform/input/import/llama2c.hpp"
#include "test/reference/composed_transformer.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <sstream>

namespace {

using namespace levee;
using levee::test::ComposedTransformer;

const std::filesystem::path kData = LEVEE_SHARED_DATA;

std::optional<ModelImage> stories260k()
{
    if (!std::filesystem::exists(kData / "stories260K.bin")) {
        std::cout << "skipped: " << (kData / "stories260K.bin").string() << " is not there\n";
        return std::nullopt;
    }
    return ModelImage::parse(
        import_llama2c(kData / "stories260K.bin", kData / "tok512.bin", Llama2cOptions{}),
        "stories260K");
}

std::string text_of(const std::filesystem::path& path)
{
    std::ifstream file(path, std::ios::binary);
    REQUIRE(file.good());
    return {std::istreambuf_iterator<char>(file), {}};
}

// Returns BOS and the tokens of each story, `total` tokens in all, not counting BOS. The last story
// is cut at that number.
std::vector<std::vector<std::uint32_t>> stories(const Tokenizer& tokenizer, std::size_t total)
{
    const std::string text = text_of(kData / "tinystories_sample.txt");
    const std::string separator = "<|endoftext|>";
    std::vector<std::vector<std::uint32_t>> result;
    std::size_t start = 0;
    while (total > 0 && start < text.size()) {
        const std::size_t end = std::min(text.find(separator, start), text.size());
        std::string story = text.substr(start, end - start);
        story.erase(0, story.find_first_not_of("\n "));
        story.erase(story.find_last_not_of("\n ") + 1);
        start = end + separator.size();
        auto ids = tokenizer.encode(story, true);
        ids.resize(std::min(ids.size(), total + 1));
        total -= ids.size() - 1;
        result.push_back(std::move(ids));
    }
    return result;
}

} // namespace

TEST_CASE("perplexity of stories260K in INT8 is within 0.2 % of FP32's")
{
    const auto image = stories260k();
    if (!image)
        return;
    ComposedTransformer transformer(*image);
    double nll = 0.0;
    std::size_t count = 0;
    for (const auto& story : stories(image->tokenizer(), 2000)) {
        transformer.reset();
        for (std::size_t i = 0; i + 1 < story.size(); ++i, ++count)
            nll -= sfu::log_prob(transformer.step(story[i]), story[i + 1]).log_prob;
    }
    REQUIRE(count == 2000);
    const double perplexity = exp_fp64(nll / static_cast<double>(count));
    std::cout << "perplexity " << perplexity << " over " << count << " tokens\n";
    CHECK(perplexity <= 3.6939 * 1.002);
    CHECK(perplexity >= 3.6939 * 0.998);
}

TEST_CASE("stories260K in INT8 picks the same token as FP32 98 times out of 100")
{
    const auto image = stories260k();
    if (!image)
        return;
    std::size_t agreed = 0, count = 0;
    for (const char* name : {"stories260K_p0", "stories260K_p1"}) {
        const auto base = kData / "goldens" / name;
        std::istringstream lines(text_of(base.string() + ".tokens"));
        const std::vector<std::uint32_t> tokens(std::istream_iterator<std::uint32_t>(lines), {});
        std::string prompt = text_of(base.string() + ".prompt");
        prompt.erase(prompt.find_last_not_of('\n') + 1);
        const std::size_t given = image->tokenizer().encode(prompt, true).size();
        REQUIRE(tokens.size() > 200);
        ComposedTransformer transformer(*image);
        for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
            const auto pick = sfu::argmax(transformer.step(tokens[i]));
            if (i + 1 < given)
                continue;
            agreed += pick.index == tokens[i + 1];
            ++count;
        }
    }
    std::cout << "top-1 agreement " << agreed << " of " << count << "\n";
    CHECK(static_cast<double>(agreed) >= 0.98 * static_cast<double>(count));
}
