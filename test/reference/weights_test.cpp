// SPDX-License-Identifier: Apache-2.0
// Measures perplexity with weights of fewer bits, and with scales for groups of weights.
#include "core/numerics/numerics.hpp"
#include "ip/sfu/model.hpp"
#include "platform/input/import/llama2c.hpp"
#include "platform/input/model/image_writer.hpp"
#include "test/reference/composed_transformer.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

namespace {

using namespace levee;
using levee::test::ComposedTransformer;

namespace fs = std::filesystem;
using Ids = std::vector<std::vector<std::uint32_t>>;

const fs::path data = LEVEE_SHARED_DATA;
const fs::path embedded_folder = LEVEE_EMBEDDED_MODEL;

std::string whole(const fs::path& path)
{
    std::ifstream file(path, std::ios::binary);
    REQUIRE(file.good());
    return {std::istreambuf_iterator<char>(file), {}};
}

/// Returns the texts between separators. They have `total` tokens in all, not counting the first
/// token of each text.
Ids texts_of(const Tokenizer& tokenizer, const std::string& all, const std::string& separator,
             std::size_t total)
{
    Ids result;
    for (std::size_t start = 0; total > 0 && start < all.size();) {
        const std::size_t end = std::min(all.find(separator, start), all.size());
        std::string text = all.substr(start, end - start);
        start = end + separator.size();
        text.erase(0, text.find_first_not_of("\n "));
        text.erase(text.find_last_not_of("\n ") + 1);
        auto ids = tokenizer.encode(text, true);
        ids.resize(std::min(ids.size(), total + 1));
        total -= ids.size() - 1;
        result.push_back(std::move(ids));
    }
    return result;
}

/// Returns the same model with matrices of another format.
ModelImage in_format(const ModelImage& image, const WeightFormat& format)
{
    const auto phases = image.tensor(LEVEE_TENSOR_ROPE_PHASE).words();
    const ModelSource source{
        .shape = image.shape(),
        .name = image.name(),
        .tokenizer = image.tokenizer(),
        .phases = {phases.begin(), phases.end()},
        .rows = [&image](const TensorSpec& spec, std::uint32_t first, std::span<float> out) {
            const auto values = image.values(spec.kind, spec.layer);
            std::copy_n(values.begin() + std::ptrdiff_t{first} * spec.cols, out.size(),
                        out.begin());
        }};
    return ModelImage::parse(image_in_memory(source, format), image.name());
}

double perplexity(const ModelImage& image, const Ids& texts)
{
    ComposedTransformer transformer(image);
    double nll = 0.0;
    std::size_t count = 0;
    for (const auto& ids : texts) {
        transformer.reset();
        for (std::size_t i = 0; i + 1 < ids.size(); ++i, ++count)
            nll -= sfu::log_prob(transformer.step(ids[i]), ids[i + 1]).log_prob;
    }
    return exp_fp64(nll / static_cast<double>(count));
}

/// Returns and prints the perplexity with a format.
double measure(const ModelImage& image, const WeightFormat& format, const Ids& texts)
{
    const double result = perplexity(in_format(image, format), texts);
    std::cout << image.name() << " " << format_name(format) << ": " << result << "\n";
    return result;
}

constexpr auto i8 = LEVEE_TYPE_INT8;
constexpr auto i4 = LEVEE_TYPE_INT4;
constexpr auto i3 = LEVEE_TYPE_INT3;

} // namespace

TEST_CASE("stories260K: weights of 4 and 3 bits, in groups, lose as much as in double precision")
{
    if (!fs::exists(data / "stories260K.bin")) {
        std::cout << "skipped: " << (data / "stories260K.bin").string() << " is not there\n";
        return;
    }
    // The figures are from a transformer in double precision with weights rounded in the same way,
    // over the same 2,000 tokens.
    struct Figure {
        WeightFormat format;
        double perplexity;
    };
    const Figure figures[] = {{i8, 3.695},         {{i8, 32}, 3.6806},  {i4, 4.8427},
                              {{i4, 128}, 4.811},  {{i4, 64}, 4.7838},  {{i4, 32}, 4.5168},
                              {{i4, 16}, 4.2497},  {i3, 40.3677},       {{i3, 128}, 31.55},
                              {{i3, 64}, 28.2665}, {{i3, 32}, 16.1168}, {{i3, 16}, 8.787},
                              {{i3, 8}, 6.9047}};
    const ModelImage exact = ModelImage::parse(
        import_llama2c(data / "stories260K.bin", data / "tok512.bin", {.weights = LEVEE_TYPE_FP32}),
        "stories260K");
    const Ids texts =
        texts_of(exact.tokenizer(), whole(data / "tinystories_sample.txt"), "<|endoftext|>", 2000);
    for (const auto& [format, wanted] : figures)
        CHECK(measure(exact, format, texts) == Approx(wanted).epsilon(0.002));
}

TEST_CASE("the embedded model: groups of 32 recover some of the loss of 4 and 3 bits")
{
    const ModelImage image = ModelImage::open(embedded_folder / "stories.levee");
    const Ids texts =
        texts_of(image.tokenizer(), whole(embedded_folder / "held_out.txt"), "<|endoftext|>", 1000);
    const double int8 = perplexity(image, texts);
    std::cout << image.name() << " as it ships: " << int8 << "\n";
    const double int4 = measure(image, i4, texts);
    CHECK(int4 < 1.1 * int8);
    CHECK(measure(image, {i4, 128}, texts) <= 1.01 * int4);
    CHECK(measure(image, {i4, 32}, texts) - int8 < 0.9 * (int4 - int8));
    const double int3 = measure(image, i3, texts);
    CHECK(int3 > int4);
    CHECK(measure(image, {i3, 32}, texts) < 0.7 * int3);
}

TEST_CASE("the embedded model in all formats", "[.][measure]")
{
    const ModelImage image = ModelImage::open(embedded_folder / "stories.levee");
    const Ids texts = texts_of(image.tokenizer(), whole(embedded_folder / "held_out.txt"),
                               "<|endoftext|>", 100000);
    for (const levee_type type : {i8, i4, i3})
        for (const std::uint32_t group : {0u, 128u, 64u, 32u})
            (void)measure(image, {type, group}, texts);
}
