"""Puts a small autoencoder of Wan 2.2's form into a pipeline's folder, with weights drawn from a seed, and writes what it makes of a video.

usage: make_autoencoder.py PIPELINE FILE: FILE gets "video" [1, 3, F, H, W] and "latents", as the transformer takes them.
"""
import pathlib
import shutil
import sys

import diffusers
import torch
from safetensors.torch import save_file

MEAN, DEVIATION = [0.1, -0.2, 0.3, 0.0], [1.5, 0.7, 1.0, 2.0]


def main():
    torch.manual_seed(4)
    autoencoder = diffusers.AutoencoderKLWan(
        base_dim=8, decoder_base_dim=12, z_dim=4, dim_mult=[1, 2, 2], num_res_blocks=1, temperal_downsample=[True, True], is_residual=True,
        in_channels=12, out_channels=12, patch_size=2, scale_factor_spatial=8, scale_factor_temporal=4, latents_mean=MEAN,
        latents_std=DEVIATION).eval()
    folder = pathlib.Path(sys.argv[1]) / "vae"
    shutil.rmtree(folder)
    autoencoder.save_pretrained(folder)
    video = torch.rand(1, 3, 9, 32, 48) * 2 - 1
    with torch.no_grad():
        mean = autoencoder.encode(video).latent_dist.mode()
    shaped = [torch.tensor(values).view(1, 4, 1, 1, 1) for values in (MEAN, DEVIATION)]
    save_file({"video": video, "latents": ((mean - shaped[0]) / shaped[1]).contiguous()}, sys.argv[2])


main()
