#include "tests/app/torch_python.h"

#include "tests/paths.h"

#include <QProcess>

namespace tests {

QString pythonWithTorch()
{
    for (const QString& environment : {qEnvironmentVariable("ATELIER_PEERS"), QStringLiteral(ATELIER_SOURCE_DIR "/.deps/peers"),
             QStringLiteral(ATELIER_SOURCE_DIR "/.deps/venv")}) {
        const QString python = environment + "/bin/python";
        if (!environment.isEmpty() && QProcess::execute(python, {"-c", "import torch.distributed.run"}) == 0)
            return python;
    }
    return {};
}

}  // namespace tests
