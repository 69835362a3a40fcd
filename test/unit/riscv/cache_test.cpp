// SPDX-License-Identifier: Apache-2.0
// Tests the caches: replacement by hand, the hart's figures against a separate model, and the
// behaviour of programs without cache maintenance.
#include "test/unit/riscv/assembler.hpp"
#include "test/unit/riscv/flat_port.hpp"

#include <catch2/catch.hpp>

#include <deque>
#include <map>

namespace {

using namespace levee;
using namespace levee::test::as;

constexpr std::uint32_t ram = 0x4000'0000;

std::uint32_t cbo(std::uint32_t operation, std::uint32_t base)
{
    return i(0x0F, 2, 0, base, operation);
}
constexpr std::uint32_t inval = 0, clean = 1, flush = 2;

/// A cache with first in, first out replacement, which stores only tags.
class Model : public riscv::Observer {
public:
    Model(const riscv::Hart& hart, const riscv::CoreConfig& config) : hart_(hart), config_(config)
    {
    }
    bool before_instruction(std::uint32_t pc, std::uint64_t) override
    {
        if (fences_)
            instructions.sets.clear();
        const riscv::Op& op = hart_.instruction();
        fences_ = op.code == riscv::Code::fence_i;
        instructions.access(*config_.icache, pc, 2u * op.step, false);
        return true;
    }
    void after_access(std::uint32_t address, std::uint32_t size, bool write) override
    {
        const riscv::Code code = hart_.instruction().code;
        if (code == riscv::Code::sc) // SC reads the reserved word.
            data.access(*config_.dcache, address, size, false);
        data.access(*config_.dcache, address, size, write);
    }

    struct Side {
        struct Line {
            std::uint32_t number;
            bool dirty;
        };
        std::map<std::uint32_t, std::deque<Line>> sets;
        std::uint64_t accesses = 0, misses = 0, filled = 0, written = 0;

        void access(const riscv::CacheConfig& cache, std::uint32_t address, std::uint32_t size,
                    bool write)
        {
            ++accesses;
            bool missed = false;
            for (std::uint32_t line = address / cache.line_bytes;
                 line <= (address + size - 1) / cache.line_bytes; ++line)
                missed |= touch(cache, line, write);
            misses += missed ? 1 : 0;
        }

    private:
        bool touch(const riscv::CacheConfig& cache, std::uint32_t number, bool write)
        {
            auto& set = sets[number % (cache.size_bytes / cache.line_bytes / cache.ways)];
            for (Line& line : set)
                if (line.number == number) {
                    line.dirty |= write;
                    return false;
                }
            if (set.size() == cache.ways) {
                written += set.front().dirty ? cache.line_bytes : 0;
                set.pop_front();
            }
            set.push_back({number, write});
            filled += cache.line_bytes;
            return true;
        }
    };
    Side instructions, data;

private:
    const riscv::Hart& hart_;
    riscv::CoreConfig config_;
    bool fences_ = false;
};

riscv::CoreConfig small_caches()
{
    riscv::CoreConfig config;
    config.reset_pc = ram;
    config.icache = riscv::CacheConfig{64, 16, 2};
    config.dcache = riscv::CacheConfig{64, 16, 1};
    config.cacheable = {{ram, 0x10000}};
    return config;
}

struct Bench {
    test::FlatPort port{ram, 0x10000, false};
    riscv::Hart hart;

    explicit Bench(const riscv::CoreConfig& config = small_caches()) : hart(config, port)
    {
        hart.set_reg(s0, ram + 0x8000);
    }
    void put(std::uint32_t offset, const std::vector<std::uint32_t>& code)
    {
        std::memcpy(&port.bytes[offset], code.data(), 4 * code.size());
    }
    std::uint32_t word(std::uint32_t offset) const
    {
        std::uint32_t value = 0;
        std::memcpy(&value, &port.bytes[offset], 4);
        return value;
    }
    void set_word(std::uint32_t offset, std::uint32_t value)
    {
        std::memcpy(&port.bytes[offset], &value, 4);
    }
    /// Runs from ram to the instruction at `end` and returns the cycles taken.
    std::uint64_t run_to(std::uint32_t end)
    {
        const std::uint64_t before = hart.cycle();
        hart.set_pc(ram);
        for (unsigned i = 0; i < 100'000 && hart.pc() != ram + end; ++i)
            hart.run(hart.cycle() + 1);
        REQUIRE(hart.pc() == ram + end);
        return hart.cycle() - before;
    }
};

} // namespace

TEST_CASE("A cache replaces the line that was filled first")
{
    riscv::Cache cache({64, 16, 2}); // Two sets: lines 0x00, 0x20, ... and lines 0x10, 0x30, ...
    const auto fill = [&](std::uint32_t address) {
        riscv::Cache::Line& line = cache.replace(address);
        const std::uint32_t gone = line.valid ? line.address : 1;
        cache.invalidate(line);
        cache.filled(line, address);
        return gone;
    };
    CHECK(cache.find(0x04) == nullptr);
    CHECK(fill(0x04) == 1);
    REQUIRE(cache.find(0x0F) != nullptr);
    CHECK(cache.find(0x10) == nullptr);
    CHECK(fill(0x44) == 1);             // This fills the other way of set 0.
    CHECK(cache.find(0x00) != nullptr); // A hit does not change the order.
    CHECK(fill(0x80) == 0x00);
    CHECK(fill(0x00) == 0x40);
    CHECK(fill(0x10) == 1); // Set 1 has a free way.
    CHECK(fill(0x40) == 0x80);
    cache.invalidate(*cache.find(0x00));
    CHECK(fill(0xC0) == 1); // An empty way is used first.
    cache.invalidate_all();
    CHECK(cache.find(0x10) == nullptr);
    CHECK(fill(0x20) == 1);
}

TEST_CASE("A miss takes the bus's time and a hit none, with hits and misses counted by hand")
{
    Bench bench;
    // A line holds four instructions, and the loop of five is in two lines.
    bench.put(0, {addi(a0, zero, 3), lw(a1, s0, 0), sw(a1, s0, 0x40), addi(a0, a0, -1),
                  bne(a0, zero, -12), addi(a2, zero, 7)});
    const std::uint64_t cycles = bench.run_to(24);
    // The hart executes 1 + 3 x 4 + 1 = 14 instructions in two lines, with two misses. The data
    // lines 0x8000 and 0x8040 share the only way of their set, so all six accesses miss. The line
    // of each store is written back when the next load replaces it, which happens twice.
    CHECK(bench.hart.instructions() == 14);
    CHECK(bench.hart.icache_counts().accesses == 14);
    CHECK(bench.hart.icache_counts().misses == 2);
    CHECK(bench.hart.icache_counts().filled_bytes == 32);
    CHECK(bench.hart.dcache_counts().accesses == 6);
    CHECK(bench.hart.dcache_counts().misses == 6);
    CHECK(bench.hart.dcache_counts().written_bytes == 2 * 16);
    CHECK(cycles == 14 + 20 * (2 + 6 + 2));
    CHECK(bench.run_to(24) == 14 + 20 * (6 + 3)); // The code is in the cache.
}

TEST_CASE("Hits, misses and bytes equal those of a model that sees the accesses")
{
    for (const auto& [icache, dcache] :
         std::vector<std::pair<riscv::CacheConfig, riscv::CacheConfig>>{
             {{16, 8, 1}, {16, 8, 2}}, {{64, 16, 4}, {96, 16, 3}}, {{256, 32, 2}, {128, 64, 1}}}) {
        riscv::CoreConfig config = small_caches();
        config.icache = icache;
        config.dcache = dcache;
        Bench bench(config), watched(config);
        Model model(watched.hart, config);
        watched.hart.attach(&model);
        // The program accesses 1 KiB with strides that return to earlier lines, and makes
        // misaligned and atomic accesses. Its code crosses a page.
        std::vector<std::uint32_t> code{
            addi(a0, zero, 100), lw(a1, s0, 2),    sw(a1, s0, 0x90), amoadd(a1, a0, t0),
            addi(s0, s0, 36),    addi(t0, t0, 12), lw(a2, s0, 31),   i(0x13, 7, a1, a0, 15),
            bne(a1, zero, 8),    fence_i,          addi(a0, a0, -1), bne(a0, zero, -40),
            addi(zero, zero, 0)};
        for (Bench* each : {&bench, &watched}) {
            each->put(0, {jal(zero, 0xFE2)});
            std::memcpy(&each->port.bytes[0xFE2], code.data(), 4 * code.size());
            each->hart.set_reg(t0, ram + 0x9000);
            each->run_to(0xFE2 + 48);
        }
        INFO("lines of " << icache.line_bytes << " and " << dcache.line_bytes);
        CHECK(bench.hart.cycle() == watched.hart.cycle());
        for (const Bench* each : {&bench, &watched}) {
            const riscv::CacheCounts& i = each->hart.icache_counts();
            const riscv::CacheCounts& d = each->hart.dcache_counts();
            CHECK(i.accesses == model.instructions.accesses);
            CHECK(i.misses == model.instructions.misses);
            CHECK(i.filled_bytes == model.instructions.filled);
            CHECK(d.accesses == model.data.accesses);
            CHECK(d.misses == model.data.misses);
            CHECK(d.filled_bytes == model.data.filled);
        }
    }
}

TEST_CASE("Code that another master writes takes effect after fence.i, and not before")
{
    Bench bench;
    bench.put(0, {addi(a0, zero, 1), fence_i, addi(a1, zero, 0)});
    bench.run_to(8);
    CHECK(bench.hart.reg(a0) == 1);
    bench.put(0, {addi(a0, zero, 2)});
    bench.hart.set_pc(ram);
    bench.run_to(4);
    CHECK(bench.hart.reg(a0) == 2); // The fence has emptied the cache.
    bench.put(0, {addi(a0, zero, 3)});
    bench.run_to(4);
    CHECK(bench.hart.reg(a0) == 2);
    bench.run_to(8);
    bench.run_to(4);
    CHECK(bench.hart.reg(a0) == 3);
}

TEST_CASE("Code that the hart stores takes effect after fence.i, which writes dirty lines back")
{
    Bench bench;
    bench.hart.set_reg(a1, addi(a0, zero, 9));
    bench.hart.set_reg(t0, ram + 0x100);
    // The code at 0 is sw, jalr to 0x100 (stale code), fence.i, jalr to 0x100.
    bench.put(0, {sw(a1, t0, 0), i(0x67, 0, 1, t0, 0), addi(a2, a0, 0), fence_i,
                  i(0x67, 0, 1, t0, 0), addi(zero, zero, 0)});
    bench.put(0x100, {addi(a0, zero, 5), i(0x67, 0, 0, 1, 0)});
    bench.run_to(20);
    CHECK(bench.hart.reg(a2) == 5); // The store was still in the data cache.
    CHECK(bench.hart.reg(a0) == 9);
    CHECK(bench.word(0x100) == addi(a0, zero, 9));
}

TEST_CASE("The core sees a block's write after cbo.inval, and a block the core's after cbo.clean")
{
    Bench bench;
    bench.set_word(0x8000, 1);
    bench.put(0, {lw(a0, s0, 0), lw(a1, s0, 0), cbo(inval, s0), lw(a2, s0, 0), sw(a0, s0, 4),
                  cbo(clean, s0), addi(t1, zero, 8), sw(t1, s0, 8), cbo(flush, s0), lw(t0, s0, 0),
                  sw(t1, s0, 12), cbo(inval, s0), addi(zero, zero, 0)});
    bench.run_to(4);
    bench.set_word(0x8000, 2); // A block writes; the write is not snooped.
    for (const std::uint32_t end : {8u, 16u, 20u})
        for (unsigned i = 0; i < 100 && bench.hart.pc() != ram + end; ++i)
            bench.hart.run(bench.hart.cycle() + 1);
    CHECK(bench.hart.reg(a0) == 1);
    CHECK(bench.hart.reg(a1) == 1); // The core reads the stale line.
    CHECK(bench.hart.reg(a2) == 2);
    CHECK(bench.word(0x8004) == 0); // The line is still dirty.
    const auto on_to = [&](std::uint32_t end) {
        for (unsigned i = 0; i < 100 && bench.hart.pc() != ram + end; ++i)
            bench.hart.run(bench.hart.cycle() + 1);
    };
    on_to(24);
    CHECK(bench.word(0x8004) == 1);
    CHECK(bench.hart.dcache_counts().written_bytes == 16);
    on_to(32);
    CHECK(bench.word(0x8008) == 0);
    bench.set_word(0x8000, 3);
    on_to(36); // The flush writes the whole line back, over the word that the block wrote.
    CHECK(bench.word(0x8008) == 8);
    CHECK(bench.word(0x8000) == 2);
    bench.set_word(0x8000, 4);
    on_to(48);
    CHECK(bench.hart.reg(t0) == 4);
    CHECK(bench.word(0x800C) == 0); // The core's data are lost.
}

TEST_CASE("Uses of an outdated line are reported until it is filled again, at unchanged cost")
{
    using riscv::OutdatedUse;
    Bench bench, other;
    for (Bench* each : {&bench, &other}) {
        each->put(0, {lw(a0, s0, 0), lw(a1, s0, 4), sw(a0, s0, 8), lw(a2, s0, 0x10), cbo(clean, s0),
                      cbo(inval, s0), lw(a0, s0, 0), addi(zero, zero, 0)});
        each->run_to(4);
        if (each == &bench)
            each->hart.visit_lines(ram + 0x8004, 4, [&](riscv::Cache::Line& line) {
                CHECK(line.address == ram + 0x8000);
                each->hart.mark_outdated(line);
            });
        each->run_to(28);
    }
    using Use = std::pair<std::uint32_t, OutdatedUse>;
    CHECK(bench.port.outdated == std::vector<Use>{{ram + 0x8000, OutdatedUse::Loaded},
                                                  {ram + 0x8004, OutdatedUse::Loaded},
                                                  {ram + 0x8008, OutdatedUse::Stored},
                                                  {ram + 0x8000, OutdatedUse::WrittenBack}});
    CHECK(other.port.outdated.empty());
    CHECK(bench.hart.cycle() == other.hart.cycle());
    CHECK(bench.hart.dcache_counts().accesses == other.hart.dcache_counts().accesses);
    CHECK(bench.hart.dcache_counts().misses == other.hart.dcache_counts().misses);
}

TEST_CASE("Snooping writes dirty lines back before another master reads and drops them before it "
          "writes")
{
    Bench bench;
    bench.put(0, {addi(a0, zero, 6), sw(a0, s0, 0), lw(a1, s0, 0x14), addi(zero, zero, 0)});
    bench.run_to(12);
    const auto clean_to = [&](std::uint32_t address, std::span<const std::uint8_t> bytes) {
        std::memcpy(&bench.port.bytes[address - ram], bytes.data(), bytes.size());
    };
    bench.hart.snoop(ram + 0x8004, 4, false, clean_to);
    CHECK(bench.word(0x8000) == 6);
    bench.hart.snoop(ram + 0x8000, 0x4000, true, clean_to); // This range is larger than the cache.
    bench.set_word(0x8000, 7);
    bench.set_word(0x8014, 8);
    bench.put(0, {lw(a0, s0, 0), lw(a1, s0, 0x14), addi(zero, zero, 0)});
    bench.hart.debug_wrote(ram, std::span(bench.port.bytes).first(12));
    bench.run_to(8);
    CHECK(bench.hart.reg(a0) == 7);
    CHECK(bench.hart.reg(a1) == 8);
}

TEST_CASE("A debugger's writes and breakpoints take effect in cached code at once and cost no time")
{
    Bench bench, other;
    for (Bench* each : {&bench, &other}) {
        each->put(0, {addi(a0, zero, 1), addi(a0, a0, 1), jal(zero, -4)});
        each->hart.run(100);
    }
    bench.hart.set_breakpoint(ram + 4);
    CHECK(bench.hart.run(bench.hart.cycle() + 50) == riscv::Stop::observer);
    CHECK(bench.hart.pc() == ram + 4);
    bench.hart.clear_breakpoint(ram + 4);
    bench.put(4, {addi(a0, a0, 5)});
    bench.hart.debug_wrote(ram + 4, std::span(bench.port.bytes).subspan(4, 4));
    const std::uint32_t before = bench.hart.reg(a0);
    bench.hart.run(bench.hart.cycle() + 1);
    CHECK(bench.hart.reg(a0) == before + 5);
    other.hart.run(bench.hart.cycle());
    CHECK(other.hart.cycle() == bench.hart.cycle());
    CHECK(bench.hart.icache_counts().misses == 1);
}

TEST_CASE("misa and the custom CSRs show which caches exist")
{
    Bench with;
    CHECK((*with.hart.read_csr(riscv::csr_number::misa) >> 23 & 1) == 1);
    CHECK(*with.hart.read_csr(riscv::csr_number::micache) == (4u | 2u << 8 | 1u << 16));
    CHECK(*with.hart.read_csr(riscv::csr_number::mdcache) == (4u | 1u << 8 | 2u << 16));
    Bench without{riscv::CoreConfig{}};
    CHECK((*without.hart.read_csr(riscv::csr_number::misa) >> 23 & 1) == 0);
    CHECK_FALSE(without.hart.read_csr(riscv::csr_number::micache).has_value());
}

TEST_CASE("Caches of impossible geometry are refused by name")
{
    const auto member = [](riscv::CacheConfig cache) -> std::string {
        const auto problem = riscv::problem_of(cache);
        return problem ? problem->member : "";
    };
    CHECK(member({8192, 32, 2}).empty());
    CHECK(member({48 * 1024, 64, 3}).empty());
    CHECK(member({8192, 48, 2}) == "line");
    CHECK(member({8192, 4, 2}) == "line");
    CHECK(member({8192, 32, 0}) == "ways");
    CHECK(member({8192, 32, 3}) == "size");
    CHECK(member({32, 32, 1}) == "size");
    riscv::CoreConfig config;
    config.dcache = riscv::CacheConfig{8192, 32, 5};
    CHECK_THROWS_WITH(riscv::validate(config), Catch::Contains("dcache.size is 8192; expected"));
}
