#include "engine/data/image_listing.h"

#include <nlohmann/json.hpp>

namespace engine {
namespace {

using nlohmann::json;

json toJson(const ImageEntry& entry)
{
    return json::array({entry.file.native(), entry.caption, entry.mask.native(), entry.size.width, entry.size.height, entry.frames, entry.repeats});
}

ImageEntry entryFrom(const json& values)
{
    ImageEntry entry;
    entry.file = values.at(0).get<std::string>();
    entry.caption = values.at(1).get<std::string>();
    entry.mask = values.at(2).get<std::string>();
    entry.size = {values.at(3).get<int>(), values.at(4).get<int>()};
    entry.frames = values.at(5).get<std::int64_t>();
    entry.repeats = values.at(6).get<std::int64_t>();
    return entry;
}

}  // namespace

// MessagePack, because names of files need not be UTF-8.
std::string toBytes(const ImageListing& listing)
{
    json images = json::array(), precomputed = json::array(), broken = json::array();
    for (const ImageEntry& entry : listing.images)
        images.push_back(toJson(entry));
    for (const PrecomputedEntry& each : listing.precomputed)
        precomputed.push_back(json::array({toJson(each.entry), each.hasPrompt}));
    for (const BrokenImage& each : listing.broken)
        broken.push_back(json::array({each.file.native(), each.reason}));
    std::string bytes;
    json::to_msgpack(json::array({images, precomputed, broken}), bytes);
    return bytes;
}

ImageListing imageListingFrom(const std::string& bytes)
{
    const json all = json::from_msgpack(bytes);
    ImageListing listing;
    for (const json& values : all.at(0))
        listing.images.push_back(entryFrom(values));
    for (const json& values : all.at(1))
        listing.precomputed.push_back({entryFrom(values.at(0)), values.at(1).get<bool>()});
    for (const json& values : all.at(2))
        listing.broken.push_back({values.at(0).get<std::string>(), values.at(1).get<std::string>()});
    return listing;
}

}  // namespace engine
