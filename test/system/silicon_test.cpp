// SPDX-License-Identifier: Apache-2.0
// The memories of devices as they are sold, under the neutral machine of scenarios/silicon.
#include "test/system/program.hpp"

using levee::test::Workplace;

namespace {

struct Device {
    const char* name;
    double gigabytes_per_s; ///< width x data rate
    double share;           ///< of that, in decoding: what refresh and the starts of streams leave
    const char *capacity, *channels; ///< by `levee describe`
};

// Refresh leaves 0.92 of GDDR6X and all of the others, and the starts of products, some 2 us each,
// weigh the more the faster a memory is.
const Device devices[] = {
    {"phone_12gb", 64 / 8 * 8.533, 0.97, "capacity 12 GiB", "channels 4 x 16 bit"},
    {"m3_pro_192bit", 192 / 8 * 6.4, 0.97, "capacity 18 GiB", "channels 12 x 16 bit"},
    {"rtx_4090_384bit", 384 / 8 * 21.0, 0.84, "capacity 24 GiB", "channels 24 x 16 bit"},
    {"pi5_32bit", 32 / 8 * 4.267, 0.97, "capacity 8 GiB", "channels 2 x 16 bit"},
    {"orin_nano", 128 / 8 * 4.266, 0.97, "capacity 8 GiB", "channels 8 x 16 bit"},
    {"orin_nano_super", 128 / 8 * 6.4, 0.97, "capacity 8 GiB", "channels 8 x 16 bit"},
    {"thor", 256 / 8 * 8.533, 0.97, "capacity 128 GiB", "channels 16 x 16 bit"}};

} // namespace

TEST_CASE("each device's memory decodes at its share of the peak bandwidth")
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
