// A run's training data as it is looked at: its entries, their buckets, and which of them a filter leaves.
#pragma once
#include "engine/contract/run/data_kind.h"
#include "engine/contract/run/data_manifest.h"
#include "ui/gallery/image_loader.h"

#include <QRect>
#include <QSize>
#include <QString>

#include <array>
#include <memory>
#include <vector>

namespace ui {

using contract::DataKind;
using contract::kDataKinds;

struct DataFilter {
    DataKind kind = DataKind::All;
    QSize bucket = {};  ///< invalid: all
    QString text = {};  ///< in captions, names and reasons, in upper or lower case
    bool operator==(const DataFilter&) const = default;
};

/// Never changes, so that any thread may read it.
struct DataList {
    struct Bucket {
        QSize size;
        int entries = 0;
    };

    contract::DataManifest manifest;
    FileStamp stamp;        ///< of the file that it was read from; the default one: there is no file
    QString error;          ///< why it could not be read
    std::vector<Bucket> buckets;              ///< by width
    std::array<int, kDataKinds> counts = {};  ///< of entries, by DataKind

    int count(DataKind kind) const { return counts[static_cast<std::size_t>(kind)]; }
};

/// Reads the list in @p runFolder; may take a second.
std::shared_ptr<const DataList> loadDataList(const QString& runFolder);

/// The stamp of the list in @p runFolder.
FileStamp dataStamp(const QString& runFolder);

/// Indices of the entries that the filter leaves; may take some 100 ms.
std::vector<int> filtered(const DataList& list, const DataFilter& filter);

/// The file of an image, a first frame or a video, of which something can be shown; empty for precomputed samples.
QString pictureFile(const contract::DataManifest& manifest, const contract::DataEntry& entry);
/// The part of pictureFile() that the entry is; null: all of it.
QRect picturePart(const contract::DataEntry& entry);
QString maskFile(const contract::DataManifest& manifest, const contract::DataEntry& entry);  ///< empty: none

/// "576 × 448 · × 10 · mask · held out".
QString shortFacts(const contract::DataEntry& entry);
/// In lines: file, size and bucket, how it is used; of what was left out why.
QString longFacts(const contract::DataEntry& entry);

}  // namespace ui
