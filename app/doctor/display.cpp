#include "app/doctor/finding.h"

#include <cstdlib>

namespace app {

Findings examineDisplay()
{
    for (const char* variable : {"QT_QPA_PLATFORM", "WAYLAND_DISPLAY", "DISPLAY"}) {
        const char* value = std::getenv(variable);
        if (value && *value)
            return {{Finding::Level::Good, "Display", std::string(variable) + "=" + value,
                "`atelier` without arguments opens the window"}};
    }
    return {{Finding::Level::Note, "Display", "none (neither DISPLAY nor WAYLAND_DISPLAY is set)",
        "the window cannot open here; every command works"}};
}

}  // namespace app
