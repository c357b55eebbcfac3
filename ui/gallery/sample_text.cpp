#include "ui/gallery/sample_text.h"

#include "ui/base/format.h"

#include <QCoreApplication>

#include <map>

namespace ui {
namespace {

struct SampleText {
    Q_DECLARE_TR_FUNCTIONS(ui::GalleryGrid)
};

QString promptTitle(Extreme extreme)
{
    return extreme == Extreme::BestOfBest || extreme == Extreme::WorstOfBest ? SampleText::tr("Best prompt") : SampleText::tr("Worst prompt");
}

QString sampleTitle(Extreme extreme)
{
    return extreme == Extreme::BestOfBest || extreme == Extreme::BestOfWorst ? SampleText::tr("best sample") : SampleText::tr("worst sample");
}

QString placeText(std::int64_t place, std::int64_t count)
{
    if (place == 1)
        return SampleText::tr("best of %1").arg(formatCount(count));
    if (place == count)
        return SampleText::tr("worst of %1").arg(formatCount(count));
    return SampleText::tr("%1 of %2").arg(formatCount(place), formatCount(count));
}

QString weightsText(const std::string& weights)
{
    if (weights == "ema")
        return SampleText::tr("averaged weights (EMA)");
    return SampleText::tr("weights: %1").arg(QString::fromStdString(weights));
}

QString promptOf(const SampleColumn& column)
{
    return column.prompt.empty() ? SampleText::tr("without a prompt") : QString::fromStdString(column.prompt);
}

}  // namespace

QString columnTitle(const SampleColumn& column)
{
    if (column.extreme)
        return SampleText::tr("%1: %2").arg(promptTitle(*column.extreme), sampleTitle(*column.extreme));
    return QStringList {promptOf(column), SampleText::tr("seed %1").arg(column.seed),
        SampleText::tr("guidance %1").arg(formatNumber(column.guidance))}
        .join(QStringLiteral(" · "));
}

QStringList columnHeaders(const SampleGrid& grid)
{
    std::map<std::string, const SampleColumn*> firsts;
    struct Variety {
        bool seeds = false, guidance = false, weights = false;
    };
    std::map<std::string, Variety> varieties;
    for (int i = 0; i < grid.columns(); ++i) {
        const SampleColumn& column = grid.column(i);
        const SampleColumn& first = *firsts.try_emplace(column.prompt, &column).first->second;
        Variety& variety = varieties[column.prompt];
        variety.seeds |= column.seed != first.seed;
        variety.guidance |= column.guidance != first.guidance;
        variety.weights |= column.weights != first.weights;
    }
    QStringList headers;
    for (int i = 0; i < grid.columns(); ++i) {
        const SampleColumn& column = grid.column(i);
        if (column.extreme) {
            headers << promptTitle(*column.extreme) + QLatin1Char('\n') + sampleTitle(*column.extreme);
            continue;
        }
        const Variety& variety = varieties[column.prompt];
        QStringList parts;
        if (variety.seeds)
            parts << SampleText::tr("seed %1").arg(column.seed);
        if (variety.guidance)
            parts << SampleText::tr("guidance %1").arg(formatNumber(column.guidance));
        if (variety.weights)
            parts << (column.weights == "ema" ? SampleText::tr("EMA") : QString::fromStdString(column.weights));
        parts << promptOf(column).simplified();
        headers << parts.join(QStringLiteral(" · "));
    }
    return headers;
}

QString rewardText(const storage::Standing& standing)
{
    QString text = SampleText::tr("reward %1, %2").arg(formatNumber(standing.reward), placeText(standing.place, standing.samples));
    if (standing.goldReward)
        text += SampleText::tr("\nwatched reward %1").arg(formatNumber(*standing.goldReward));
    return text
        + SampleText::tr("\nmean of the prompt %1, %2")
              .arg(formatNumber(standing.promptReward), placeText(standing.promptPlace, standing.prompts));
}

QString supersededText(const storage::SampleRow& sample)
{
    return sample.isSuperseded ? SampleText::tr(" · superseded by a later attempt") : QString();
}

QString promptText(const storage::SampleRow& sample)
{
    return sample.prompt.empty() ? SampleText::tr("Without a prompt") : QString::fromStdString(sample.prompt);
}

QString settingsText(const storage::SampleRow& sample)
{
    QString text = sample.standing ? SampleText::tr("round %1, after step %2\n%3\nseed %4 · guidance %5")
                                         .arg(formatCount(sample.standing->round), formatCount(sample.step), rewardText(*sample.standing),
                                             QString::number(sample.seed), formatNumber(sample.guidance))
                                   : SampleText::tr("step %1 · seed %2 · guidance %3")
                                         .arg(formatCount(sample.step), QString::number(sample.seed), formatNumber(sample.guidance));
    if (sample.attempt > 1)
        text += SampleText::tr(" · attempt %1").arg(sample.attempt);
    text += supersededText(sample);
    if (!sample.weights.empty())
        text += QStringLiteral(" · ") + weightsText(sample.weights);
    return text;
}

}  // namespace ui
