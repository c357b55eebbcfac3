// Lets QCOMPARE say states of runs by name.
#pragma once
#include "launcher/state/run_state.h"

#include <QTest>

#include <string>

namespace QTest {
template <>
inline char* toString(const launcher::RunState& state)
{
    return qstrdup(std::string(launcher::stateName(state)).c_str());
}
}  // namespace QTest
