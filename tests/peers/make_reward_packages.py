#!/usr/bin/env python3
"""Compiles reward models with AOTInductor: twice the mean of each image.

Usage: make_reward_packages.py FOLDER    writes any.pt2, for batches of any size, and four.pt2, for batches of 4
"""
import pathlib
import sys

import torch


class Brightness(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.tensor([2.0]))

    def forward(self, images):
        return images.mean(dim=(1, 2, 3)) * self.scale


folder = pathlib.Path(sys.argv[1])
model, example = Brightness().eval(), (torch.rand(4, 3, 3, 2),)
batch = torch.export.Dim("batch", min=1, max=1024)
for name, shapes in (("any", {"images": {0: batch}}), ("four", None)):
    exported = torch.export.export(model, example, dynamic_shapes=shapes)
    torch._inductor.aoti_compile_and_package(exported, package_path=str(folder / f"{name}.pt2"))
