// A sample as the commands print it in JSON.
#pragma once
#include "app/cli/output.h"
#include "storage/store.h"

namespace app {

/// Its step, file, prompt and settings; of a sample of a round also how it fared.
Json sampleJson(const storage::SampleRow& sample);

}  // namespace app
