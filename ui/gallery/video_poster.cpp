#include "ui/gallery/video_poster.h"

#include "launcher/base/program_output.h"
#include "launcher/base/program_path.h"
#include "ui/base/format.h"
#include "ui/language/outside_text.h"

#include <QCoreApplication>
#include <QFileInfo>

#include <algorithm>
#include <cmath>
#include <optional>

namespace ui {
namespace {

using namespace std::chrono_literals;

struct PosterText {
    Q_DECLARE_TR_FUNCTIONS(ui::Gallery)
};

constexpr qint64 kMostPixels = 1LL << 25;  // as the program
constexpr auto kPosterTime = 25s;          // the program gives up earlier
constexpr char kGreeting[] = "atelier-poster 1 ";

LoadedImage failedPoster(const QString& sentence)
{
    LoadedImage result;
    result.error = sentence;
    return result;
}

/// The picture that the program has written, or nothing when it has written anything else.
std::optional<LoadedImage> parsedPoster(const QByteArray& output)
{
    const qsizetype end = output.indexOf('\n');
    const QList<QByteArray> words = output.left(std::min<qsizetype>(end, 200)).split(' ');
    if (end < 0 || !output.startsWith(kGreeting) || words.size() != 8)
        return {};
    LoadedImage result;
    result.fullSize = {words[2].toInt(), words[3].toInt()};
    const VideoFacts video {words[4].toDouble(), words[5].toDouble(), words[6].toLongLong(), words[7] == "1"};
    const qint64 pixels = qint64(result.fullSize.width()) * result.fullSize.height();
    if (result.fullSize.isEmpty() || pixels > kMostPixels || output.size() - end - 1 != 3 * pixels)
        return {};
    if (!std::isfinite(video.framesPerSecond) || !std::isfinite(video.seconds) || video.framesPerSecond < 0 || video.seconds < 0 || video.frames < 0)
        return {};
    result.video = video;
    const auto* rgb = reinterpret_cast<const uchar*>(output.constData() + end + 1);
    result.pixels = QImage(rgb, result.fullSize.width(), result.fullSize.height(), 3LL * result.fullSize.width(), QImage::Format_RGB888)
                        .convertToFormat(QImage::Format_RGB32);
    return result;
}

}  // namespace

LoadedImage loadPoster(const QString& file, const QSize& bound, const std::stop_token& stop)
{
    using End = launcher::ProgramOutput::End;
    constexpr int kNoLibraries = 127;  // of the dynamic loader
    const QString name = QFileInfo(file).fileName();
    const auto ran = launcher::outputOf(
        launcher::programPath("atelier-poster"), {QFileInfo(file).absoluteFilePath().toStdString()}, kPosterTime, 3 * kMostPixels + 1000, stop);
    if (ran.end == End::NotStarted || (ran.end == End::Exited && ran.exitCode == kNoLibraries))
        return failedPoster(PosterText::tr("%1 is not shown: FFmpeg's libraries, or Atelier's program atelier-poster, are missing.").arg(name));
    if (ran.end == End::Killed)
        return failedPoster(PosterText::tr("%1 is not shown: its first frame cannot be decoded within the limits of time and memory.").arg(name));
    if (auto poster = ran.exitCode == 0 ? parsedPoster(ran.output) : std::nullopt) {
        if (bound.isValid() && (poster->fullSize.width() > bound.width() || poster->fullSize.height() > bound.height()))
            poster->pixels = poster->pixels.scaled(
                poster->fullSize.scaled(bound, Qt::KeepAspectRatio).expandedTo({1, 1}), Qt::IgnoreAspectRatio, Qt::SmoothTransformation);
        return *poster;
    }
    const QByteArray error = QByteArray(kGreeting) + "error ";
    const QByteArray sentence = ran.output.startsWith(error) ? ran.output.mid(error.size()).left(200).trimmed() : QByteArray("cannot be decoded");
    return failedPoster(QStringLiteral("%1 %2.").arg(name, translatedSentence({sentence.constData(), std::size_t(sentence.size())})));
}

QString videoText(const VideoFacts& video)
{
    QStringList parts;
    if (video.seconds > 0)
        parts << PosterText::tr("%1 s").arg(formatNumber(video.seconds));
    if (video.framesPerSecond > 0)
        parts << PosterText::tr("%1 frames per second").arg(formatNumber(video.framesPerSecond));
    if (video.frames > 0)
        parts << (video.isCounted
                ? formatCounted(video.frames, PosterText::tr("1 frame"), PosterText::tr("%Ln frames", nullptr, pluralCount(video.frames)))
                : formatCounted(video.frames, PosterText::tr("about 1 frame"), PosterText::tr("about %Ln frames", nullptr, pluralCount(video.frames))));
    return parts.join(QStringLiteral(" · "));
}

}  // namespace ui
