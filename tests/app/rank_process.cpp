#include "tests/app/rank_process.h"

#include "engine/contract/run/supervisor_lock.h"

#include <QFile>

namespace tests {

QByteArray contentOf(const QString& file)
{
    QFile stream(file);
    return stream.open(QIODevice::ReadOnly) ? stream.readAll() : QByteArray();
}

std::optional<pid_t> rankProcess(const contract::RunFolder& run, int rank)
{
    const auto owner = contract::lockOwner(run);
    if (!owner)
        return std::nullopt;
    const QString supervisor = QString::number(owner->processId);
    for (const QByteArray& child : contentOf(QStringLiteral("/proc/%1/task/%1/children").arg(supervisor)).split(' ')) {
        if (contentOf("/proc/" + QString::fromLatin1(child) + "/environ").split('\0').contains("RANK=" + QByteArray::number(rank)))
            return child.toInt();
    }
    return std::nullopt;
}

}  // namespace tests
