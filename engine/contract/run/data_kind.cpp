#include "engine/contract/run/data_kind.h"

namespace contract {

bool isOfKind(const DataEntry& entry, DataKind kind)
{
    using Use = DataEntry::Use;
    const bool isUsed = entry.use != Use::LeftOut;
    switch (kind) {
    case DataKind::All: return true;
    case DataKind::Training: return entry.use == Use::Training;
    case DataKind::Validation: return entry.use == Use::Validation;
    case DataKind::Prior: return entry.use == Use::Prior;
    case DataKind::LeftOut: return !isUsed;
    case DataKind::WithoutCaption: return isUsed && entry.caption.empty();
    case DataKind::Masked: return isUsed && entry.hasMask();
    case DataKind::Enlarged: return isUsed && entry.isEnlarged();
    }
    return false;
}

const char* nameOf(DataKind kind)
{
    switch (kind) {
    case DataKind::All: return "all";
    case DataKind::Training: return "training";
    case DataKind::Validation: return "validation";
    case DataKind::Prior: return "prior";
    case DataKind::LeftOut: return "left-out";
    case DataKind::WithoutCaption: return "no-caption";
    case DataKind::Masked: return "masked";
    case DataKind::Enlarged: return "enlarged";
    }
    return "";
}

}  // namespace contract
