// SPDX-License-Identifier: Apache-2.0
// Tests that results beyond the range of FP32 are counted and cause a warning, on every machine on
// which they can occur.
#include "platform/input/import/synthetic.hpp"
#include "platform/input/model/image_writer.hpp"
#include "test/system/program.hpp"

using namespace levee;
using levee::test::Outcome;
using levee::test::Workplace;

namespace {

/// Writes a model whose first layer adds so much to the residual stream that the stream, or a
/// norm's sum of squares, exceeds FP32.
void write_model(const std::filesystem::path& file, float factor)
{
    SyntheticOptions options;
    options.weights = LEVEE_TYPE_INT8;
    ModelSource source = synthetic_source(llama_shape(64, 128, 2, 4, 2, 96, 64), options);
    source.rows = [factor, before = source.rows](const TensorSpec& spec, std::uint32_t first,
                                                 std::span<float> out) {
        before(spec, first, out);
        if (spec.kind == LEVEE_TENSOR_W_DOWN && spec.layer == 0)
            for (float& value : out)
                value *= factor;
    };
    (void)write_image(source, options.weights, file);
}

Outcome run(const Workplace& place, float factor)
{
    write_model(place.path("model.levee"), factor);
    return place.levee({"run", "demo", "--quiet", "--out", "out", "--set",
                        "model.image=model.levee", "--set",
                        "workload={app: generate, prompt_ids: [[1, 2, 3]], max_new_tokens: 4}"});
}

} // namespace

TEST_CASE("a residual stream that overflows FP32 is warned of, and so is a norm's sum of squares")
{
    const Workplace place;
    for (const float factor : {1e38F, 1e21F}) {
        INFO(factor);
        const Outcome outcome = run(place, factor);
        CHECK(outcome.code == 0);
        CHECK_THAT(outcome.text, Catch::Contains("results overflowed their format"));
        CHECK(place.results("out")["metrics"]["sfu.overflows"] > 0);
    }
    const Outcome outcome = run(place, 1.0F);
    CHECK(outcome.code == 0);
    CHECK_THAT(outcome.text, !Catch::Contains("overflowed"));
    CHECK_FALSE(place.results("out")["metrics"].contains("sfu.overflows"));
}
