// SPDX-License-Identifier: Apache-2.0
// Tests the memories of commercial devices on the neutral machine of scenarios/silicon.
#include "test/system/program.hpp"

using levee::test::Workplace;

namespace {

struct Device {
    const char* name;
    double gigabytes_per_s; ///< peak rate: width x data rate
    double share; ///< Share of the peak in decoding, after refresh and the starts of streams.
    const char *capacity, *channels; ///< Values from `levee describe`.
};

// Refresh leaves 0.92 of GDDR6X's bandwidth, and all of the bandwidth of the other memories.
// Starting a product takes about 2 us, which costs more with faster memories.
const Device devices[] = {
    {"phone_12gb", 64 / 8 * 8.533, 0.97, "capacity 12 GiB", "channels 4 x 16 bit"},
    {"m3_pro_192bit", 192 / 8 * 6.4, 0.97, "capacity 18 GiB", "channels 12 x 16 bit"},
    {"rtx_4090_384bit", 384 / 8 * 21.0, 0.84, "capacity 24 GiB", "channels 24 x 16 bit"},
    {"pi5_32bit", 32 / 8 * 4.267, 0.97, "capacity 8 GiB", "channels 2 x 16 bit"},
    {"orin_nano", 128 / 8 * 4.266, 0.97, "capacity 8 GiB", "channels 8 x 16 bit"},
    {"orin_nano_super", 128 / 8 * 6.4, 0.97, "capacity 8 GiB", "channels 8 x 16 bit"},
    {"thor", 256 / 8 * 8.533, 0.97, "capacity 128 GiB", "channels 16 x 16 bit"}};

} // namespace

TEST_CASE("each device's memory decodes at the expected share of its peak bandwidth")
{
    const Workplace place;
    for (const Device& device : devices) {
        INFO(device.name);
        const std::string scenario = std::string("silicon/") + device.name;
        const std::string shown = place.levee({"describe", scenario}).text;
        CHECK(shown.find(device.capacity) != std::string::npos);
        CHECK(shown.find(device.channels) != std::string::npos);
        REQUIRE(place.levee({"run", scenario, "--quiet", "--out", device.name}).code == 0);
        const nlohmann::json metrics = place.results(device.name)["metrics"];
        const double read =
            metrics["dram.read_bytes"].get<double>() / metrics["sim.seconds"].get<double>() / 1e9;
        CHECK(metrics["roofline.decode.dram.peak_bytes_per_s"].get<double>() ==
              Approx(device.gigabytes_per_s * 1e9));
        CHECK(read < device.gigabytes_per_s);
        CHECK(read > device.share * device.gigabytes_per_s);
    }
}

TEST_CASE("commercial flash delivers weights at its link's rate, or at its channels' rate")
{
    const Workplace place;
    struct Storage {
        const char* name;
        double gigabytes_per_s; ///< The rate by hand is lanes x rate x coding.
    };
    const Storage storages[] = {{"ufs_3_1", 2 * 11.66 / 8 * 8 / 10},
                                {"ufs_4_0", 2 * 23.32 / 8 * 8 / 10},
                                {"nvme_pcie3", 4 * 8.0 / 8 * 128 / 130},
                                {"nvme_pcie4", 4 * 16.0 / 8 * 128 / 130},
                                // The flash has four channels of 3.2 GT/s.
                                {"nvme_pcie5", 4 * 3.2}};
    for (const Storage& storage : storages) {
        INFO(storage.name);
        const std::string name = storage.name;
        place.write(name + ".yaml", "extends: cambricon/ufs.yaml\n"
                                    "model: {shape: {layers: 2}}\n"
                                    "system:\n"
                                    "  bus: {port_bandwidth: 4 TB/s}\n"
                                    "  streams: {weights: {bandwidth: 1 TB/s}}\n"
                                    "  blocks: {rsa: {load_bytes_per_cycle: 1024}}\n"
                                    "  memories:\n"
                                    "    flash: null\n"
                                    "    storage: {type: flash, extends: silicon/tech/" +
                                        name + ".yaml, placing: {alpha: 0}, roles: [weights]}\n");
        REQUIRE(place.levee({"run", name + ".yaml", "--quiet", "--out", name}).code == 0);
        const nlohmann::json metrics = place.results(name)["metrics"];
        const double read = metrics["storage.link_bytes"].get<double>() / 2 /
                            metrics["decode.seconds"].get<double>() / 1e9;
        CHECK(read == Approx(storage.gigabytes_per_s).epsilon(0.02));
    }
}

TEST_CASE("a die of 1 Tb has the capacity and the rates of the commercial part")
{
    const Workplace place;
    place.write("die.yaml", "system:\n  extends: systems/flash.yaml\n  memories:\n    flash: null\n"
                            "    die: {type: flash, extends: silicon/tech/ufs_4_0.yaml, dies: 1, "
                            "channels: 1}\n");
    const std::string shown = place.levee({"describe", "die.yaml"}).text;
    CHECK(shown.find("planes 2, blocks 1024, pages 1024, page 64 KiB") != std::string::npos);
    CHECK(64 * 1024 / 319.7e-6 == Approx(205e6).epsilon(0.001));
    CHECK(shown.find("read 40 us, program 319700 ns") != std::string::npos);
}
