#include "ui/data/data_list.h"

#include "engine/contract/formats/folder_entries.h"
#include "engine/contract/formats/text.h"
#include "ui/base/format.h"
#include "ui/language/outside_text.h"

#include <QCoreApplication>
#include <QStringList>

#include <exception>
#include <map>
#include <utility>

namespace ui {
namespace {

using contract::DataEntry;
using Use = DataEntry::Use;

struct DataText {
    Q_DECLARE_TR_FUNCTIONS(ui::DataView)
};

QString manifestFile(const QString& runFolder) { return runFolder + QLatin1Char('/') + QLatin1String(contract::kDataManifestFile); }

QString sizeText(std::int64_t width, std::int64_t height) { return QStringLiteral("%1 × %2").arg(width).arg(height); }

QString useText(Use use)
{
    switch (use) {
    case Use::Training: return DataText::tr("trained on");
    case Use::Validation: return DataText::tr("held out");
    case Use::Prior: return DataText::tr("regularisation");
    case Use::LeftOut: return DataText::tr("left out");
    }
    return {};
}

QString pathText(const contract::DataManifest& manifest, const std::string& file)
{
    return QString::fromStdString(dataPath(manifest, file).string());
}

}  // namespace

FileStamp dataStamp(const QString& runFolder) { return stampOf(manifestFile(runFolder)); }

std::shared_ptr<const DataList> loadDataList(const QString& runFolder)
{
    auto list = std::make_shared<DataList>();
    list->stamp = dataStamp(runFolder);
    if (list->stamp == FileStamp {})
        return list;
    try {
        list->manifest = contract::readDataManifest(manifestFile(runFolder).toStdString());
    } catch (const std::exception& error) {
        list->error = translatedSentence(contract::sentenceOf(error));
    }
    std::map<std::pair<std::int64_t, std::int64_t>, int> buckets;
    for (const DataEntry& entry : list->manifest.entries) {
        for (int kind = 0; kind < kDataKinds; ++kind)
            list->counts[static_cast<std::size_t>(kind)] += isOfKind(entry, DataKind(kind));
        if (entry.bucketWidth > 0)
            ++buckets[{entry.bucketWidth, entry.bucketHeight}];
    }
    for (const auto& [size, entries] : buckets)
        list->buckets.push_back({QSize(int(size.first), int(size.second)), entries});
    return list;
}

std::vector<int> filtered(const DataList& list, const DataFilter& filter)
{
    std::vector<int> found;
    const auto contains = [&](const std::string& text) { return QString::fromStdString(text).contains(filter.text, Qt::CaseInsensitive); };
    const auto& entries = list.manifest.entries;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const DataEntry& entry = entries[i];
        if (!isOfKind(entry, filter.kind))
            continue;
        if (filter.bucket.isValid() && filter.bucket != QSize(int(entry.bucketWidth), int(entry.bucketHeight)))
            continue;
        if (filter.text.isEmpty() || contains(entry.caption) || contains(entry.file) || contains(entry.reason) || contains(translatedSentence(entry.reason).toStdString()))
            found.push_back(static_cast<int>(i));
    }
    return found;
}

QString pictureFile(const contract::DataManifest& manifest, const DataEntry& entry)
{
    if (!entry.poster.empty())
        return pathText(manifest, entry.poster);
    const QString name = QString::fromStdString(entry.file).toLower();
    for (const char* ending : {".png", ".jpg", ".jpeg", ".webp"}) {
        if (name.endsWith(QLatin1String(ending)))
            return pathText(manifest, entry.file);
    }
    return !entry.isPrecomputed && contract::hasVideoName(entry.file) ? pathText(manifest, entry.file) : QString();
}

QRect picturePart(const DataEntry& entry)
{
    return {int(entry.tile.left), int(entry.tile.top), int(entry.tile.width), int(entry.tile.height)};
}

QString maskFile(const contract::DataManifest& manifest, const DataEntry& entry)
{
    return entry.mask.empty() ? QString() : pathText(manifest, entry.mask);
}

QString shortFacts(const DataEntry& entry)
{
    QStringList facts;
    if (entry.bucketWidth > 0)
        facts << sizeText(entry.bucketWidth, entry.bucketHeight);
    if (entry.isVideo())
        facts << DataText::tr("%1 frames").arg(entry.frames);
    if (entry.repeats > 1)
        facts << DataText::tr("× %1").arg(entry.repeats);
    if (entry.hasMask())
        facts << DataText::tr("mask");
    if (entry.use != Use::Training)
        facts << useText(entry.use);
    return facts.join(QStringLiteral(" · "));
}

QString longFacts(const DataEntry& entry)
{
    QStringList lines;
    if (entry.tile.width == 0)
        lines << QString::fromStdString(entry.file);
    if (entry.use == Use::LeftOut) {
        lines << DataText::tr("Left out: %1").arg(translatedSentence(entry.reason));
        return lines.join(QLatin1Char('\n'));
    }
    QStringList use = {useText(entry.use)};
    if (entry.repeats > 1)
        use << DataText::tr("%1 times in an epoch").arg(entry.repeats);
    if (entry.isVideo())
        use << DataText::tr("%1 frames").arg(entry.frames);
    if (entry.isPrecomputed)
        use << DataText::tr("precomputed");
    if (entry.isAlphaMask)
        use << DataText::tr("its transparency is its mask");
    else if (!entry.mask.empty())
        use << DataText::tr("mask %1").arg(QString::fromStdString(entry.mask));
    if (entry.width > 0 && !entry.isPrecomputed) {
        QString size = DataText::tr("%1 pixels").arg(sizeText(entry.width, entry.height));
        if (entry.bucketWidth > 0)
            size += DataText::tr(", trained at %1").arg(sizeText(entry.bucketWidth, entry.bucketHeight));
        if (entry.isEnlarged())
            size += DataText::tr(", enlarged");
        if (const double cropped = entry.croppedPart(); cropped >= 0.005)
            size += DataText::tr(", %1 cropped away").arg(formatPercent(cropped, 0));
        lines << size;
    }
    lines << use.join(QStringLiteral(" · "));
    return lines.join(QLatin1Char('\n'));
}

}  // namespace ui
