// SPDX-License-Identifier: Apache-2.0
// Tests rows of the array's second operand that a table redirects to other addresses.
#include "ip/rsa/module.hpp"
#include "test/unit/blocks/bench.hpp"
#include "test/unit/blocks/random_product.hpp"

#include <cstddef>

namespace {

using namespace levee;
using namespace levee::test;

using Op = levee_rsa_operation;
constexpr std::uint32_t here = LEVEE_RSA_ROW_HERE;

/// Counts the bytes of streams that begin in a region, and the bytes read from it.
class Watch : public bus::BusObserver {
public:
    void passed(const bus::Transaction& transaction) override
    {
        if (transaction.bulk == nullptr || transaction.bulk->direction == Direction::Write)
            return;
        const BulkExtension& bulk = *transaction.bulk;
        const auto extent = bulk.pattern.extent();
        if (!extent || extent->first < first || extent->first >= last)
            return;
        (bulk.phase == BulkExtension::Phase::Open ? streamed : read) +=
            bulk.phase == BulkExtension::Phase::Open ? bulk.bytes : bulk.pattern.bytes();
    }
    void watch(std::uint64_t address, std::uint64_t bytes)
    {
        first = address;
        last = address + bytes;
        streamed = read = 0;
    }
    std::uint64_t first = 0, last = 0, streamed = 0, read = 0;
};

struct System : Bench {
    rsa::Rsa rsa{
        "rsa", {Clock{1'000'000'000}, {32, 32, 128, 1024, true}, false, queue_config}, fabric};
    Watch own, elsewhere;

    System() : Bench("bench", {}, 256'000'000'000)
    {
        connect(rsa.queue);
        bus.observe(own);
        bus.observe(elsewhere);
    }
};

/// Moves some rows of a product's second operand elsewhere, and overwrites their old places.
struct Moved {
    levee_rsa_redirect redirect{};
    std::uint32_t stored;
    std::uint64_t pitch, pool_bytes;
    std::vector<std::uint32_t> words;

    Moved(System& system, const Op& op, std::uint32_t seed)
        : stored((op.flags & LEVEE_RSA_B_TRANSPOSED) != 0 ? op.n : op.k),
          pitch(static_cast<std::uint64_t>(op.b_stride[2])),
          pool_bytes(std::uint64_t{op.outer[0]} * op.outer[1] * stored * pitch)
    {
        const std::uint64_t row_bytes =
            bytes_of((op.flags & LEVEE_RSA_B_TRANSPOSED) != 0 ? op.k : op.n, op.b_type);
        redirect.base = system.take(pool_bytes);
        redirect.base_stride[2] = static_cast<std::int32_t>(pitch);
        redirect.base_stride[1] = static_cast<std::int32_t>(pitch * stored);
        redirect.base_stride[0] = redirect.base_stride[1] * op.outer[1];
        redirect.table_stride[1] = static_cast<std::int32_t>(4 * stored);
        redirect.table_stride[0] = redirect.table_stride[1] * op.outer[1];
        std::uint32_t drawn = 0;
        for (std::uint32_t o0 = 0; o0 < op.outer[0]; ++o0)
            for (std::uint32_t o1 = 0; o1 < op.outer[1]; ++o1)
                for (std::uint32_t row = 0; row < stored; ++row) {
                    const bool moves = random_word(seed, 9, drawn++) % 3 == 0 || seed % 16 == 0;
                    const std::uint32_t to = stored - 1 - row;
                    words.push_back(moves ? to : here);
                    if (!moves)
                        continue;
                    std::uint8_t* const from =
                        system.at(op.b + static_cast<std::uint64_t>(op.b_stride[0]) * o0 +
                                  static_cast<std::uint64_t>(op.b_stride[1]) * o1 + pitch * row);
                    std::memcpy(
                        system.at(redirect.base + pitch * (to + stored * (o1 + op.outer[1] * o0))),
                        from, row_bytes);
                    std::memset(from, 0xEE, row_bytes);
                }
        redirect.table = system.put(words);
    }
};

} // namespace

TEST_CASE("redirected rows give the same bits as rows in place, and only their new place is read")
{
    System system;
    system.run([&] {
        const std::uint64_t mark = system.mark();
        std::uint64_t moved_streams = 0;
        for (std::uint32_t seed = 0; seed < 400; ++seed) {
            system.release(mark);
            Product product(system, seed);
            product.leave_groups_out();
            Op& op = product.op;
            const auto expected = product.expected();
            const std::uint64_t b_bytes = static_cast<std::uint64_t>(op.b_stride[0]) * op.outer[0];
            INFO("seed " << seed);
            system.own.watch(op.b, b_bytes);
            product.fill_output();
            CHECK(system.execute(0, describe(LEVEE_RSA_GEMM, op)) == LEVEE_ERROR_NONE);
            CHECK(product.output() == expected);
            const std::uint64_t streamed = system.own.streamed, read = system.own.read;

            const Moved moved(system, op, seed);
            op.redirect = system.put(std::vector<levee_rsa_redirect>{moved.redirect});
            system.own.watch(op.b, b_bytes);
            system.elsewhere.watch(moved.redirect.base, moved.pool_bytes);
            product.fill_output();
            CHECK(system.execute(0, describe(LEVEE_RSA_GEMM, op)) == LEVEE_ERROR_NONE);
            CHECK(product.output() == expected);
            // No byte is streamed twice. The streams carry exactly the bytes read.
            CHECK(system.own.read + system.elsewhere.read == read);
            CHECK(system.own.streamed + system.elsewhere.streamed == streamed);
            CHECK(system.elsewhere.streamed * read == system.elsewhere.read * streamed);
            moved_streams += system.elsewhere.streamed > 0 ? 1 : 0;
            if (seed % 16 == 0)
                CHECK(system.own.streamed == 0);
        }
        CHECK(moved_streams > 300);
    });
}

namespace {

Op small_product(System& system)
{
    Op op{};
    op.outer[0] = op.outer[1] = op.m0 = op.m1 = 1;
    op.k = op.n = 8;
    op.a_type = op.b_type = LEVEE_TYPE_INT16;
    op.alpha = 1.0f;
    op.a = system.take(16);
    op.b = system.take(128);
    op.b_stride[2] = 16;
    op.out = system.take(32);
    return op;
}

} // namespace

TEST_CASE("invalid redirects are refused with their field")
{
    System system;
    system.run([&] {
        Op op = small_product(system);
        levee_rsa_redirect good{};
        good.table = system.put(std::vector<std::uint32_t>(8, 1));
        good.base = system.take(128);
        good.base_stride[2] = 16;
        const auto refused_at = [&](std::uint64_t at, levee_command_error code) {
            op.redirect = at;
            CHECK(system.execute(0, describe(LEVEE_RSA_GEMM, op)) == code);
            CHECK(system.reg(0, LEVEE_CMD_ERROR_FIELD) == operation_field(offsetof(Op, redirect)));
            system.set_reg(0, LEVEE_CMD_CONTROL, LEVEE_CMD_CONTROL_RESET);
        };
        const auto refused = [&](levee_command_error code, auto spoil) {
            levee_rsa_redirect bad = good;
            spoil(bad);
            refused_at(system.put(std::vector<levee_rsa_redirect>{bad}), code);
        };
        using Redirect = levee_rsa_redirect;
        refused(LEVEE_ERROR_ADDRESS, [](Redirect& r) { r.table += 2; });
        refused(LEVEE_ERROR_ADDRESS, [](Redirect& r) { r.table = 64; });
        refused(LEVEE_ERROR_ADDRESS, [](Redirect& r) { r.table_stride[1] = 2; });
        refused(LEVEE_ERROR_ADDRESS, [](Redirect& r) { r.base += 1; });
        refused(LEVEE_ERROR_ADDRESS, [](Redirect& r) { r.base = 64; });
        refused(LEVEE_ERROR_ADDRESS, [](Redirect& r) { r.base_stride[2] = 3; });
        for (const std::uint64_t at : {good.table + 4, std::uint64_t{8}})
            refused_at(at, LEVEE_ERROR_ADDRESS);
        op.redirect = system.put(std::vector<levee_rsa_redirect>{good});
        CHECK(system.execute(0, describe(LEVEE_RSA_GEMM, op)) == LEVEE_ERROR_NONE);
    });
}
