#include "engine/contract/experiment/forward_settings.h"

#include "engine/contract/formats/text.h"

#include <algorithm>
#include <iterator>

namespace contract {

bool isForwardAlgorithm(std::string_view algorithm)
{
    constexpr std::string_view kAlgorithms[] = {"diffusion_nft", "dpo", "awm", "dgpo"};
    return std::ranges::find(kAlgorithms, algorithm) != std::end(kAlgorithms);
}

ForwardSettings forwardSettings(const OptionLookup& lookup)
{
    const auto boolean = [&](std::string_view key) { return std::get<bool>(lookup(key)); };
    const auto integer = [&](std::string_view key) { return std::get<std::int64_t>(lookup(key)); };
    const auto real = [&](std::string_view key) { return std::get<double>(lookup(key)); };
    const auto text = [&](std::string_view key) { return std::get<std::string>(lookup(key)); };
    ForwardSettings settings;
    settings.old = {text("old.schedule"), std::nullopt, integer("old.every")};
    if (settings.old.schedule == "constant")
        settings.old.decay = real("old.decay");
    settings.timesteps = {text("timesteps.strategy"), integer("timesteps.count"), real("timesteps.lowest"), real("timesteps.highest"),
        real("timesteps.shift")};
    settings.nftBeta = real("nft.beta");
    settings.nftAdvantages = text("nft.adv_mode");
    settings.nftTimestepFraction = real("nft.timestep_fraction");
    settings.nftSmallestWeight = real("nft.weight_min");
    settings.hasStoredPairs = text("algorithm.name") == "dpo" && text("dpo.source") == "offline";
    settings.dpoBeta = real("dpo.beta");
    settings.awmWeight = text("awm.weight");
    settings.awmHuberPower = real("awm.huber_power");
    settings.awmAverageCoefficient = real("awm.ema_coef");
    settings.dgpoBeta = real("dgpo.dpo_beta");
    settings.dgpoClipsLoss = boolean("dgpo.clip_loss");
    settings.dgpoClipsPenalty = boolean("dgpo.clip_penalty");
    settings.dgpoAnchorsAtOld = boolean("dgpo.anchor_old");
    settings.dgpoSwitchRound = integer("dgpo.switch_round");
    return settings;
}

std::vector<Problem> problemsOf(const ForwardSettings& settings)
{
    std::vector<Problem> problems;
    if (!(settings.timesteps.lowest < settings.timesteps.highest))
        problems.push_back({"timesteps.highest",
            "timesteps.highest = " + shortestText(settings.timesteps.highest) + " is not above timesteps.lowest = "
                + shortestText(settings.timesteps.lowest) + ": set it higher", 0});
    return problems;
}

}  // namespace contract
