// SPDX-License-Identifier: Apache-2.0
// Tests each part of the cores' operations on its own.
#include "ip/cim/bookkeeping.hpp"
#include "ip/cim/cached_vectors.hpp"
#include "ip/cim/declaration.hpp"
#include "test/unit/blocks/acting_block.hpp"
#include "test/unit/cim/cores_system.hpp"

using namespace levee;
using namespace levee::test;
using namespace levee::cim;

namespace {

using Floats = std::vector<float>;

/// A block that only reads each operation; the test does the rest. The model has CoresSystem's
/// shape.
struct Part : ActingBlock {
    static constexpr std::uint32_t dim = CoresSystem::dim, hidden = CoresSystem::hidden,
                                   heads = CoresSystem::heads, d = CoresSystem::d,
                                   slots = CoresSystem::slots;

    Part() : ActingBlock(cim::declaration)
    {
        const std::uint32_t rows[] = {3 * dim, dim, hidden, dim};
        for (levee_cim_layer& record : records) {
            for (std::size_t i = 0; i < LEVEE_CIM_MATRICES; ++i)
                record.scale[i] = put(Floats(rows[i], 0.5f));
            for (std::uint64_t& gain : record.norm_gain)
                gain = put(Floats(dim, 2.0f));
        }
        model.layers = put(records);
        model.layer_count = 2;
        model.dim = dim;
        model.hidden = hidden;
        model.heads = model.kv_heads = heads;
        model.head_dim = d;
        model.norm = LEVEE_NORM_LAYER;
        model.activation = LEVEE_ACTIVATION_RELU;
    }

    /// Two new tokens in layer 0 of a sequence of `length` tokens.
    levee_cim_operation two_tokens(std::uint32_t length)
    {
        levee_cim_operation op{};
        op.model = put(std::vector{model});
        op.lengths = put(std::vector{length});
        op.keys = take(heads * slots * d * 2);
        op.values = take(heads * slots * d * 2);
        op.key_scales = take(heads * slots * 4);
        op.value_scales = take(heads * slots * 4);
        op.kv_head = slots * d * 2;
        op.scale_head = slots * 4;
        op.entries = op.layers = 1;
        op.rows = 2;
        return op;
    }
    std::uint32_t prepare(std::uint8_t opcode, const levee_cim_operation& op,
                          const std::function<void(const Pass&, Operation&)>& what)
    {
        return with(opcode, op, [&](const levee_descriptor&, Operation& operation) {
            what(read_pass(queue, config, opcode), operation);
        });
    }

    Config config = CoresSystem::config_of(Pipeline::None);
    Cores cores{queue, config};
    CachedVectors cached{queue, config};
    Bookkeeping books{config, cores};
    std::vector<levee_cim_layer> records = std::vector<levee_cim_layer>(2);
    levee_cim_model model{};
};

} // namespace

TEST_CASE("a pass is read with its model and lengths, and checks name the wrong member")
{
    Part part;
    part.run([&] {
        const levee_cim_operation op = part.two_tokens(7);
        CHECK(part.prepare(LEVEE_CIM_LAYER, op, [&](const Pass& pass, Operation&) {
            CHECK(pass.work(0).before == 5);
            CHECK(pass.work(0).tokens == 2);
            CHECK(pass.channels() == Part::heads * Part::d);
        }) == LEVEE_ERROR_NONE);
        const auto fault = [&](auto change) {
            levee_cim_operation wrong = op;
            change(wrong);
            CHECK(part.prepare(LEVEE_CIM_LAYER, wrong, [](const Pass&, Operation&) {}) ==
                  LEVEE_ERROR_FIELD);
            return part.error_field - operation_field(0);
        };
        using Op = levee_cim_operation;
        CHECK(fault([](Op& wrong) { wrong.entries = 0; }) == offsetof(Op, entries));
        CHECK(fault([](Op& wrong) { wrong.layer = 2; }) == offsetof(Op, layer));
        CHECK(fault([](Op& wrong) { wrong.matrix = 1; }) == offsetof(Op, matrix));
        CHECK(fault([&](Op& wrong) { wrong.lengths = part.put<std::uint32_t>({1}); }) ==
              offsetof(Op, lengths));
        part.model.kv_heads = 3; // The model has 4 heads, not 3.
        CHECK(fault([&](Op& wrong) { wrong.model = part.put(std::vector{part.model}); }) ==
              offsetof(Op, model));
    });
}

TEST_CASE("a core reads norms, biases and scales once for each model")
{
    Part part;
    part.run([&] {
        const std::vector<std::uint8_t> bytes(3, 9);
        part.cores.storage().load(part.config.offset_of(1, LEVEE_CIM_EXPAND), bytes, "weights");
        const levee_cim_operation op = part.two_tokens(2);
        const auto tell = [&](const Pass& pass, Operation&) { part.cores.tell(pass, 1); };
        const Parameters& own = part.cores[1].parameters;
        CHECK(part.prepare(LEVEE_CIM_LAYER, op, tell) == LEVEE_ERROR_NONE);
        CHECK(own.matrices[LEVEE_CIM_EXPAND].rows == Part::hidden);
        CHECK(own.matrices[LEVEE_CIM_EXPAND].weights[2] == 9);
        CHECK(own.matrices[LEVEE_CIM_EXPAND].scales == Floats(Part::hidden, 0.5f));
        CHECK(own.norm_gain[0] == Floats(Part::dim, 2.0f));
        CHECK_FALSE(part.cores[0].model);

        const float other = 3.0f;
        std::memcpy(part.at(part.records[1].norm_gain[0]), &other, sizeof other);
        CHECK(part.prepare(LEVEE_CIM_LAYER, op, tell) == LEVEE_ERROR_NONE);
        CHECK(own.norm_gain[0].front() == 2.0f);
        part.model.norm_epsilon = 1.0f;
        CHECK(part.prepare(LEVEE_CIM_LAYER, part.two_tokens(2), tell) == LEVEE_ERROR_NONE);
        CHECK(own.norm_gain[0].front() == 3.0f);
    });
}

TEST_CASE("later tokens fetch the keys and values that were written")
{
    Part part;
    part.run([&] {
        const levee_cim_operation op = part.two_tokens(2);
        constexpr std::size_t vectors = Part::heads * 2;
        Stored written;
        written.keys.codes.resize(vectors * Part::d);
        written.keys.scales.resize(vectors);
        for (std::size_t i = 0; i < written.keys.codes.size(); ++i)
            written.keys.codes[i] = static_cast<std::int16_t>(i + 1);
        written.keys.scales.back() = 0.25f;
        written.values = written.keys;
        CHECK(part.prepare(LEVEE_CIM_LAYER, op, [&](const Pass& pass, Operation& operation) {
            part.cached.open(pass, operation);
            // Four operands are written, each through a link and a memory.
            CHECK(operation.job.activity.uses.size() == 4 * 2);
            part.cached.write(pass, written);
        }) == LEVEE_ERROR_NONE);
        levee_cim_operation later = op;
        later.lengths = part.put<std::uint32_t>({4});
        Stored fetched;
        for (Cached* const cache : {&fetched.keys, &fetched.values}) {
            cache->codes.resize(2 * vectors * Part::d);
            cache->scales.resize(2 * vectors);
        }
        CHECK(part.prepare(LEVEE_CIM_LAYER, later, [&](const Pass& pass, Operation& operation) {
            part.cached.open(pass, operation);
            // Tokens that are already in the cache are read, too.
            CHECK(operation.job.activity.uses.size() == 2 * 4 * 2);
            part.cached.fetch(pass, fetched);
        }) == LEVEE_ERROR_NONE);
        // Each head has four slots. The first two are filled.
        CHECK(fetched.keys.codes[0] == 1);
        CHECK(fetched.keys.codes[4 * Part::d] == 2 * Part::d + 1);
        CHECK(fetched.values.codes[2 * Part::d] == 0);
        CHECK(fetched.keys.scales[3 * 4 + 1] == 0.25f);
    });
}

TEST_CASE("a product with one matrix is counted, and a layer's weights are loaded once")
{
    Part part;
    part.run([&] {
        levee_cim_operation op = part.two_tokens(2);
        const auto figures = [&](const std::string& name) { return figure(part.books, name); };
        CHECK(part.prepare(LEVEE_CIM_LAYER, op, [&](const Pass& pass, Operation& operation) {
            part.books.account(pass, {}, operation);
        }) == LEVEE_ERROR_NONE);
        const std::uint64_t loaded = figures("loaded_bytes"), macs = figures("macs");
        CHECK(loaded != 0);
        CHECK(figures("tokens") == 2);
        CHECK(part.prepare(LEVEE_CIM_LAYER, op, [&](const Pass& pass, Operation& operation) {
            part.books.account(pass, {}, operation);
        }) == LEVEE_ERROR_NONE);
        CHECK(figures("loaded_bytes") == loaded);
        CHECK(figures("macs") == 2 * macs);
        op.keys = op.values = op.lengths = 0;
        CHECK(part.prepare(LEVEE_CIM_LINEAR, op, [&](const Pass& pass, Operation& operation) {
            Matrix matrix;
            matrix.rows = 24;
            matrix.columns = 16;
            part.books.account_linear(pass, matrix, operation);
        }) == LEVEE_ERROR_NONE);
        CHECK(figures("macs") == 2 * macs + 2 * 24 * 16);
    });
}
