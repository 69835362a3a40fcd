// SPDX-License-Identifier: Apache-2.0
// Tests models that differ from a plain transformer on VEDA. Their logits equal the reference's bit
// for bit, or a run is refused with the name of the missing feature.
#include "test/reference/structured_shapes.hpp"
#include "test/system/veda_case.hpp"

using namespace levee;
using namespace levee::test;

namespace {

bool is_for_veda(const ModelShape& shape)
{
    return shape.norm_place == NormPlace::before && shape.head_norm != HeadNorm::all &&
           !shape.parallel && shape.score_cap == 0.0F && shape.experts == 0 && !shape.sinks;
}

} // namespace

TEST_CASE("model structures that VEDA supports have the reference's bits, others are refused")
{
    for (const auto& [name, shape] : structured_shapes()) {
        INFO(name);
        VedaCase which;
        which.shape = shape;
        which.prompts = {drawn_ids(5, 3), drawn_ids(6, 21)};
        which.new_tokens = 4;
        if (is_for_veda(shape)) {
            check_bits(which);
            continue;
        }
        const Workplace place;
        save_model(place, which);
        place.write("scenario.yaml", scenario_of(which));
        const Outcome outcome = place.levee({"run", "scenario.yaml", "--out", "out"});
        CHECK(outcome.code != 0);
        CHECK(outcome.text.find("does not support a feature of the model") != std::string::npos);
    }
}
