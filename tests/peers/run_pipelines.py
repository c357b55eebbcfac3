"""Draws with diffusers' own pipelines what Atelier drew from the same folders, prompts and first latents.

usage: run_pipelines.py JOBS.json: a list of {"class", "folder", "prompts", "negative", "height", "width", "frames", "steps", "guidance",
"latents", "images", "adapter"}, the last a folder with a LoRA, or empty. Reads the tensor "latents" of the one file, as the transformer has
them, and writes "images" to the other: images [B, 3, H, W] or videos [B, 3, F, H, W] in [0, 1].
"""
import json
import pathlib
import sys

import diffusers
import torch
from safetensors.torch import load_file, save_file


def packed(pipeline, latents):
    """The form in which Flux and Qwen-Image keep their latents."""
    return pipeline._pack_latents(latents, *latents.shape)


def drawn(job):
    pipeline = getattr(diffusers, job["class"]).from_pretrained(job["folder"], torch_dtype=torch.float32)
    pipeline.set_progress_bar_config(disable=True)
    if job["adapter"]:
        pipeline.load_lora_weights(job["adapter"])
    latents = load_file(job["latents"])["latents"]
    arguments = {"prompt": job["prompts"], "height": job["height"], "width": job["width"], "num_inference_steps": job["steps"],
                 "output_type": "pt"}
    negative = [job["negative"]] * len(job["prompts"])
    if job["class"] == "FluxPipeline":
        # As the model's page says: schnell takes 256 tokens, dev 512.
        tokens = 512 if pipeline.transformer.config.guidance_embeds else 256
        return pipeline(**arguments, latents=packed(pipeline, latents), guidance_scale=job["guidance"], max_sequence_length=tokens).images
    if job["class"] == "QwenImagePipeline":
        return pipeline(**arguments, latents=packed(pipeline, latents), negative_prompt=negative, true_cfg_scale=job["guidance"]).images
    arguments |= {"latents": latents, "negative_prompt": negative, "guidance_scale": job["guidance"]}
    if job["class"] == "WanPipeline":
        return pipeline(**arguments, num_frames=job["frames"]).frames.transpose(1, 2)
    return pipeline(**arguments).images


def main():
    with torch.no_grad():
        for job in json.loads(pathlib.Path(sys.argv[1]).read_text()):
            save_file({"images": drawn(job).float().contiguous()}, job["images"])


main()
