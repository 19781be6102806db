"""Small nets in the manner of those that are published for Paddle: how they fill their weights."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np
import paddle
from paddle import nn
from paddle.nn import initializer as init

__all__ = ["LAYERS", "NETS", "VISION", "VISION_HEAVY"]

WIDTH, WORDS = 16, 37


class Bert(nn.Layer):
    """Every weight is drawn again, module by module, in the order of `apply`."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(WORDS, WIDTH, padding_idx=0)
        self.places = nn.Embedding(12, WIDTH)
        self.norm = nn.LayerNorm(WIDTH)
        self.dropout = nn.Dropout(0.1)
        layer = nn.TransformerEncoderLayer(WIDTH, 2, 32)
        self.encoder = nn.TransformerEncoder(layer, 2)
        self.pooler = nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.Tanh())
        self.register_buffer("ids", paddle.arange(12), persistable=False)
        self.apply(self._init_weights)

    def _init_weights(self, layer: nn.Layer) -> None:
        if isinstance(layer, (nn.Linear, nn.Embedding)):
            layer.weight.set_value(paddle.normal(0.0, 0.02, layer.weight.shape))
        if isinstance(layer, nn.Linear) and layer.bias is not None:
            layer.bias.set_value(paddle.zeros_like(layer.bias))


class BertWithHead(nn.Layer):
    """The backbone is filled before the head is made, whose output is tied to the words."""

    def __init__(self) -> None:
        super().__init__()
        self.bert = Bert()
        self.transform = nn.Linear(WIDTH, WIDTH)
        self.decoder = self.bert.words.weight
        self.decoder_bias = self.create_parameter([WORDS], is_bias=True)
        self.classifier = nn.Linear(WIDTH, 2)


class Gpt(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.wte, self.wpe = nn.Embedding(WORDS, WIDTH), nn.Embedding(8, WIDTH)
        self.blocks = nn.LayerList(
            [nn.LayerList([nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)]) for _ in range(3)]
        )
        self.norm = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, WORDS, bias_attr=False)
        for name, each in self.named_parameters():
            if name.endswith("1.weight") and "blocks" in name:
                std = 0.02 / math.sqrt(2 * len(self.blocks))
                with paddle.no_grad():
                    each.set_value(paddle.normal(mean=0.0, std=std, shape=each.shape))
            elif len(each.shape) == 2:
                init.Normal(0.0, 0.02)(each)


class Llama(nn.Layer):
    """Projections fused by rows of one draw, root mean square norms of ones."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(WORDS, WIDTH)
        self.layers = nn.LayerList([nn.Linear(WIDTH, WIDTH, bias_attr=False) for _ in range(4)])
        self.scale = self.create_parameter([WIDTH], default_initializer=init.Constant(1.0))
        self.head = nn.Linear(WIDTH, WORDS, bias_attr=False)
        for each in (self.embed, *self.layers, self.head):
            each.weight.set_value(paddle.tensor.normal(mean=0.0, std=0.02, shape=each.weight.shape))


class T5(nn.Layer):
    """Each kind of layer has a std of its own, by `_init_weights` with a factor."""

    def __init__(self) -> None:
        super().__init__()
        self.shared = nn.Embedding(WORDS, WIDTH)
        self.q, self.k, self.o = (nn.Linear(WIDTH, WIDTH, bias_attr=False) for _ in range(3))
        self.bias = nn.Embedding(8, 2)
        self.scale = paddle.create_parameter(
            [WIDTH], "float32", default_initializer=init.Constant(1.0)
        )
        stds = {"shared": 1.0, "q": (WIDTH * 4) ** -0.5, "k": WIDTH**-0.5, "o": WIDTH**-0.5}
        for name, std in stds.items():
            weight = getattr(self, name).weight
            weight.set_value(paddle.normal(0.0, std, weight.shape))


class Detr(nn.Layer):
    """One layer, deep-copied; biases by what focal loss needs."""

    def __init__(self) -> None:
        super().__init__()
        layer = nn.TransformerDecoderLayer(WIDTH, 2, 32)
        self.layers = nn.LayerList([copy.deepcopy(layer) for _ in range(2)])
        self.queries = nn.Embedding(5, WIDTH)
        self.head = nn.Linear(WIDTH, 4)
        self.boxes = nn.LayerList([copy.deepcopy(self.head) for _ in range(2)])
        init.Constant(-math.log((1 - 0.01) / 0.01))(self.head.bias)
        with paddle.no_grad():
            self.boxes[0].bias[2:] = -2.0
            self.boxes[1].weight.set_value(paddle.zeros_like(self.boxes[1].weight))


class DetrDrawnAgain(Detr):
    def __init__(self) -> None:
        super().__init__()
        for each in self.parameters():
            if each.dim() > 1:
                nn.init.xavier_uniform_(each)


class Fno(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.lift = nn.Linear(3, 8)
        self.spectral = self.create_parameter(
            [8, 8, 4], dtype="complex64", default_initializer=init.Normal(0.0, 0.125)
        )
        self.skip = nn.Conv1D(8, 8, 1)
        self.project = nn.Linear(8, 1)


class Swin(nn.Layer):
    """Rates by linspace, a table of truncated normals, an index of positions in a buffer."""

    def __init__(self) -> None:
        super().__init__()
        self.rates = [rate.item() for rate in paddle.linspace(0, 0.2, 4)]
        self.embed = nn.Conv2D(3, 8, 4, 4)
        self.table = self.create_parameter(
            [49, 2], default_initializer=init.TruncatedNormal(std=0.02)
        )
        self.qkv = nn.Linear(8, 24, weight_attr=init.TruncatedNormal(std=0.02))
        grid = np.stack(np.meshgrid(np.arange(4), np.arange(4), indexing="ij")).reshape(2, -1)
        self.register_buffer("index", paddle.to_tensor(grid))
        self.norm = nn.LayerNorm(8)
        self.head = nn.Linear(8, 5)
        self.apply(self._init_weights)

    def _init_weights(self, layer: nn.Layer) -> None:
        if isinstance(layer, nn.Linear):
            init.TruncatedNormal(std=0.02)(layer.weight)
            init.Constant(0.0)(layer.bias)
        elif isinstance(layer, nn.LayerNorm):
            init.Constant(0.0)(layer.bias)
            init.Constant(1.0)(layer.weight)


class Shaped(nn.Layer):
    """A random dummy tells the width of the part behind."""

    def __init__(self) -> None:
        super().__init__()
        self.conv, self.drop = nn.Conv2D(3, 4, 3), nn.Dropout(0.3)
        width = self.drop(self.conv(paddle.randn([1, 3, 8, 8]))).flatten().shape[0]
        self.fc = nn.Linear(width, 3)


class Vae(nn.Layer):
    """A decoder from a generator of random numbers for a fixed codebook."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.GRU(5, 8, direction="bidirect")
        self.register_buffer("codebook", paddle.uniform([7, 8]))
        self.decoder = nn.utils.spectral_norm(nn.Linear(8, 5))
        self.flow = nn.Linear(5, 5, weight_attr=init.Orthogonal())
        self.out = nn.Linear(5, 5)


class WeightNormed(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.convs = nn.LayerList([nn.utils.weight_norm(nn.Conv1D(2, 3, 3)) for _ in range(2)])
        self.out = nn.Linear(3, 1)


def unfolded() -> nn.Layer:
    """Upsampling by Bilinear, identity by Dirac, positions by sine and cosine."""
    places = np.zeros((10, WIDTH), "float32")
    places[:, ::2] = np.sin(np.arange(10)[:, None] / 7)
    embedding = nn.Embedding(10, WIDTH, weight_attr=init.Assign(places))
    up = nn.Conv2DTranspose(2, 2, 4, 2, groups=2, weight_attr=init.Bilinear(), bias_attr=False)
    return nn.LayerList(
        [nn.Linear(3, 3), embedding, up, nn.Conv1D(3, 3, 3, weight_attr=init.Dirac())]
    )


# Each builder with the parameters that are not known.
NETS: Mapping[str, tuple[Callable[[], nn.Layer], set[str]]] = MappingProxyType(
    {
        "BERT": (Bert, set()),
        "BERT with a head": (BertWithHead, set()),
        "GPT": (Gpt, set()),
        "LLaMA": (Llama, set()),
        "T5": (T5, set()),
        "DETR": (Detr, set()),
        "DETR, drawn again": (DetrDrawnAgain, set()),
        "FNO": (Fno, set()),
        "Swin": (Swin, set()),
        "shaped by a dummy": (Shaped, set()),
        "VAE": (Vae, {"flow.weight"}),
        "weight_norm": (WeightNormed, {"convs.0.weight_g", "convs.1.weight_g"}),
        "given values": (unfolded, set()),
    }
)

LAYERS: Mapping[str, Callable[[], nn.Layer]] = MappingProxyType(
    {
        "AdaptiveLogSoftmaxWithLoss": lambda: nn.AdaptiveLogSoftmaxWithLoss(4, 20, [5, 10]),
        "BatchNorm": lambda: nn.BatchNorm(4),
        "BatchNorm1D": lambda: nn.BatchNorm1D(4),
        "BatchNorm2D": lambda: nn.BatchNorm2D(4),
        "BatchNorm3D": lambda: nn.BatchNorm3D(4),
        "Bilinear": lambda: nn.Bilinear(3, 4, 5),
        "BiRNN": lambda: nn.BiRNN(nn.GRUCell(3, 4), nn.GRUCell(3, 4)),
        "Conv1D": lambda: nn.Conv1D(3, 4, 3),
        "Conv1DTranspose": lambda: nn.Conv1DTranspose(3, 4, 3),
        "Conv2D": lambda: nn.Conv2D(3, 4, 3, groups=1),
        "Conv2DTranspose": lambda: nn.Conv2DTranspose(3, 4, 3),
        "Conv3D": lambda: nn.Conv3D(3, 4, 3),
        "Conv3DTranspose": lambda: nn.Conv3DTranspose(3, 4, 3),
        "Embedding": lambda: nn.Embedding(7, 5),
        "GRU": lambda: nn.GRU(3, 4, 2),
        "GRUCell": lambda: nn.GRUCell(3, 4),
        "GroupNorm": lambda: nn.GroupNorm(2, 4),
        "HSigmoidLoss": lambda: nn.HSigmoidLoss(4, 5),
        "InstanceNorm1D": lambda: nn.InstanceNorm1D(4),
        "InstanceNorm2D": lambda: nn.InstanceNorm2D(4),
        "InstanceNorm3D": lambda: nn.InstanceNorm3D(4),
        "LSTM": lambda: nn.LSTM(3, 4, 2, direction="bidirect"),
        "LSTMCell": lambda: nn.LSTMCell(3, 4),
        "LayerNorm": lambda: nn.LayerNorm([3, 4]),
        "Linear": lambda: nn.Linear(3, 4),
        "MultiHeadAttention": lambda: nn.MultiHeadAttention(4, 2),
        "PReLU": lambda: nn.PReLU(4),
        "RNN": lambda: nn.RNN(nn.SimpleRNNCell(3, 4)),
        "SimpleRNN": lambda: nn.SimpleRNN(3, 4),
        "SimpleRNNCell": lambda: nn.SimpleRNNCell(3, 4),
        "SpectralNorm": lambda: nn.SpectralNorm([3, 4]),
        "SyncBatchNorm": lambda: nn.SyncBatchNorm(4),
        "Transformer": lambda: nn.Transformer(8, 2, 1, 1, 16),
        "TransformerDecoderLayer": lambda: nn.TransformerDecoderLayer(8, 2, 16),
        "TransformerEncoderLayer": lambda: nn.TransformerEncoderLayer(8, 2, 16),
    }
)

VISION: tuple[str, ...] = (
    "LeNet",
    "densenet121",
    "googlenet",
    "mobilenet_v1",
    "mobilenet_v2",
    "mobilenet_v3_small",
    "resnet18",
    "shufflenet_v2_x0_25",
    "squeezenet1_0",
)
VISION_HEAVY: tuple[str, ...] = (
    "alexnet",
    "inception_v3",
    "mobilenet_v3_large",
    "resnet50",
    "resnext50_32x4d",
    "vgg11",
    "wide_resnet50_2",
)
