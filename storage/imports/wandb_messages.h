// Messages in the log of a Weights & Biases run: wandb/proto/wandb_internal.proto.
#pragma once
#include "engine/contract/records/protobuf_reader.h"
#include "storage/imports/wandb_source.h"

#include <optional>
#include <string>
#include <string_view>

namespace storage {

/// google.protobuf.Timestamp in Unix seconds.
double secondsOf(std::string_view timestamp);

/// An item of a history, a summary, a configuration or of statistics, which have the same fields.
struct WandbItem {
    std::string key;  ///< nested ones joined by points
    std::string_view json;
    std::optional<double> number;  ///< that the item holds, in JSON or otherwise
};

WandbItem wandbItem(std::string_view message);

/// Calls @p onItem with every item in the field @p field of @p message.
template <typename OnItem>
void eachItem(std::string_view message, unsigned field, OnItem onItem)
{
    contract::ProtobufReader reader(message);
    while (reader.next()) {
        if (reader.is(field, contract::ProtobufReader::Type::Bytes))
            onItem(wandbItem(reader.bytes()));
    }
}

/// A RunRecord. Long texts are cut; of more than 100 tags the first are taken.
struct WandbRun {
    std::string id, entity, project, name, host, group, job;
    ForeignNotes notes;
    double start = 0;          ///< Unix seconds; 0: not known
    std::string_view config;   ///< a ConfigRecord
};

WandbRun wandbRun(std::string_view message);

}  // namespace storage
