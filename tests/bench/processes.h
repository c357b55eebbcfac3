// Programs that benchmarks run beside ours.
#pragma once
#include <QByteArray>
#include <QString>
#include <QStringList>

namespace bench {

/// What @p program prints; its errors go where ours go. @throws std::runtime_error when it fails.
QByteArray outputOf(const QString& program, const QStringList& arguments);

/// The Python that has diffusers, transformers and PEFT: see tests/peers/environment.
QString diffusersPython();

}  // namespace bench
