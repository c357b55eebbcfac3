"""Lets diffusers predict with a QwenImageTransformer2DModel that begins from images, forward and backward.

usage: predict_edits.py JOBS.json: a list of {"folder", "inputs", "outputs"}. "inputs" has latents, references.0, references.1 …
[B, C, H, W], times [B], prompt [B, L, D] and probe, of the latents' shape; "outputs" gets "prediction" and, for each parameter, the
gradient of mean(prediction · probe).
"""
import json
import pathlib
import sys

import diffusers
import torch
from safetensors.torch import load_file, save_file

pack = diffusers.QwenImageEditPlusPipeline._pack_latents
unpack = diffusers.QwenImageEditPlusPipeline._unpack_latents


def predicted(job):
    model = diffusers.QwenImageTransformer2DModel.from_pretrained(job["folder"], torch_dtype=torch.float32)
    inputs = load_file(job["inputs"])
    images = [inputs["latents"]] + [inputs[f"references.{i}"] for i in range(sum(name.startswith("references.") for name in inputs))]
    rows = torch.cat([pack(image, *image.shape) for image in images], dim=1)
    shapes = [[(1, image.shape[2] // 2, image.shape[3] // 2) for image in images]] * rows.shape[0]
    output = model(hidden_states=rows, encoder_hidden_states=inputs["prompt"], timestep=inputs["times"], img_shapes=shapes).sample
    height, width = inputs["latents"].shape[2:]
    prediction = unpack(output[:, : height * width // 4], height, width, 1).squeeze(2)
    (prediction * inputs["probe"]).mean().backward()
    outputs = {"prediction": prediction.detach()} | {name: parameter.grad for name, parameter in model.named_parameters() if parameter.grad is not None}
    return {name: tensor.contiguous() for name, tensor in outputs.items()}


def main():
    for job in json.loads(pathlib.Path(sys.argv[1]).read_text()):
        save_file(predicted(job), job["outputs"])


main()
