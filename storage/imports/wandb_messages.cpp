#include "storage/imports/wandb_messages.h"

#include "engine/contract/formats/text.h"
#include "engine/contract/run/journal.h"
#include "storage/imports/json_values.h"

#include <cstdint>
#include <map>

namespace storage {

using contract::ProtobufReader;
using Type = ProtobufReader::Type;

double secondsOf(std::string_view timestamp)
{
    double seconds = 0;
    ProtobufReader reader(timestamp);
    while (reader.next()) {
        if (reader.is(1, Type::Varint))
            seconds += static_cast<double>(reader.integer());
        else if (reader.is(2, Type::Varint))
            seconds += static_cast<double>(reader.integer()) * 1e-9;
    }
    return seconds;
}

WandbItem wandbItem(std::string_view message)
{
    WandbItem item;
    ProtobufReader reader(message);
    while (reader.next()) {
        if (reader.is(1, Type::Bytes) || reader.is(2, Type::Bytes))
            item.key.append(item.key.empty() ? "" : ".").append(reader.bytes());
        else if (reader.is(16, Type::Bytes) || reader.is(8, Type::Bytes))
            item.json = reader.bytes();
        else if (reader.is(4, Type::Varint))
            item.number = reader.number() != 0 ? 1 : 0;
        else if (reader.is(5, Type::Varint))  // zigzag
            item.number = static_cast<double>(static_cast<std::int64_t>(reader.number() >> 1) ^ -static_cast<std::int64_t>(reader.number() & 1));
        else if (reader.is(6, Type::Fixed64))
            item.number = reader.real();
    }
    if (!item.number)
        item.number = numberInJson(item.json);
    return item;
}

WandbRun wandbRun(std::string_view message)
{
    constexpr unsigned kNotes = 9;
    constexpr std::size_t kLongestFact = 500, kMostTags = 100;
    WandbRun facts;
    ProtobufReader reader(message);
    const std::map<unsigned, std::string*> texts = {{1, &facts.id}, {2, &facts.entity}, {3, &facts.project}, {6, &facts.group}, {7, &facts.job},
        {8, &facts.name}, {kNotes, &facts.notes.notes}, {13, &facts.host}};
    while (reader.next()) {
        if (reader.type() != Type::Bytes)
            continue;
        if (const auto text = texts.find(reader.field()); text != texts.end())
            *text->second = contract::shortened(reader.bytes(), reader.field() == kNotes ? contract::kLongestText : kLongestFact);
        else if (reader.field() == 4)
            facts.config = reader.bytes();
        else if (reader.field() == 10 && facts.notes.tags.size() < kMostTags)
            facts.notes.tags.push_back(contract::shortened(reader.bytes()));
        else if (reader.field() == 17)
            facts.start = secondsOf(reader.bytes());
    }
    return facts;
}

}  // namespace storage
