// A worker program that cannot start, for a library that it links is not on this machine.
#pragma once
#include "tests/paths.h"

#include <QFile>

#include <filesystem>

/// Makes it in @p folder from the fake worker. @param library that is missing: 14 letters, as many as libstdc++.so.6, whose place it takes
inline std::filesystem::path workerWithout(const std::filesystem::path& folder, const QByteArray& library)
{
    const std::filesystem::path file = folder / "worker";
    QFile fake(QStringLiteral(FAKE_WORKER)), made(QString::fromStdString(file.string()));
    if (fake.open(QIODevice::ReadOnly) && made.open(QIODevice::WriteOnly))
        made.write(fake.readAll().replace("libstdc++.so.6", library));
    made.setPermissions(fake.permissions());
    return file;
}
