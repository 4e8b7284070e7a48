"""What a program keeps of what it computed: averages of weights, and metrics."""

from __future__ import annotations

from ..part import part

AVERAGES = (
    part("none"),
    part(
        "AveragedModel",
        is_="copies",
        setup="ema = torch.optim.swa_utils.AveragedModel(model)",
        keeps="ema",
        last="$ema.update_parameters($model)",
    ),
    part(
        "AveragedModel with decay",
        is_="copies",
        setup="ema = torch.optim.swa_utils.AveragedModel(model, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.9), use_buffers=True)",
        keeps="ema",
        last="$ema.update_parameters($model)",
    ),
    part(
        "dict of clones",
        setup="ema = {n: p.detach().clone() for n, p in model.named_parameters()}",
        keeps="ema",
        last="""
with torch.no_grad():
    for n, p in $model.named_parameters():
        $ema[n].lerp_(p, 0.1)
""",
    ),
    part(
        "teacher",
        is_="copies",
        setup="""
teacher = copy.deepcopy(model)
for p in teacher.parameters():
    p.requires_grad_(False)
""",
        keeps="teacher",
        loss="""
with torch.no_grad():
    target = $teacher(x).float()
loss = loss + F.mse_loss(out.float(), target)
""",
        last="""
with torch.no_grad():
    for t, p in zip($teacher.parameters(), $model.parameters()):
        t.mul_(0.9).add_(p, alpha=0.1)
""",
    ),
    part(
        "best so far",
        setup='best, kept = float("inf"), None',
        keeps="best kept",
        last="""
if loss.item() < $best:
    $best, $kept = loss.item(), copy.deepcopy({n: p.detach() for n, p in $model.named_parameters()})
""",
    ),
)

METRICS = (
    part("none"),
    part(
        "sums in tensor and number",
        setup="total, samples = torch.zeros(()), 0",
        keeps="total samples",
        last="$total += loss.detach().float(); $samples += len(x)",
    ),
    part("sum rebound", setup="total = 0", keeps="total", last="$total = $total + loss.detach()"),
    part(
        "list of numbers", setup="losses = []", keeps="losses", last="$losses.append(loss.item())"
    ),
    part(
        "list of tensors", setup="losses = []", keeps="losses", last="$losses.append(loss.detach())"
    ),
    part(
        "list of losses with their graphs",
        setup="losses = []",
        keeps="losses",
        last="$losses.append(loss)",
    ),
    part(
        "deque and Counter",
        setup="window, seen = collections.deque(maxlen=3), collections.Counter()",
        keeps="window seen",
        last='$window.append(float(loss)); $seen.update(y.tolist()); $seen["steps"] += 1',
    ),
    part(
        "NumPy mean",
        setup="slow = np.zeros(3)",
        keeps="slow",
        last="$slow *= 0.9; $slow += 0.1 * out.detach().float().mean(0).numpy()",
    ),
    part(
        "dataclass",
        defs="""
@dataclasses.dataclass
class Seen:
    loss: float = 0.0
    right: torch.Tensor = dataclasses.field(default_factory=lambda: torch.zeros((), dtype=torch.int64))
    steps: int = 0
    sizes: set = dataclasses.field(default_factory=set)
""",
        setup="seen = Seen()",
        keeps="seen",
        last="""
$seen.loss += loss.item()
$seen.right += (out.argmax(1) == y).sum()
$seen.steps += 1
$seen.sizes.add(tuple(x.shape))
""",
    ),
    part(
        "torchmetrics",
        defs="import torchmetrics",
        setup='accuracy, meter = torchmetrics.Accuracy(task="multiclass", num_classes=3), torchmetrics.MeanMetric()',
        keeps="accuracy meter",
        last="$accuracy.update(out.detach().float(), y); $meter.update(loss.detach().float())",
    ),
    part(
        "text",
        setup="log = io.StringIO()",
        keeps="log",
        last='$log.write(f"loss {loss.item():.6f}\\n")',
    ),
    part(
        "tensor written by index",
        setup="history, row = torch.zeros(16, 3), 0",
        keeps="history row",
        last="$history[$row] = out.detach().float().mean(0); $row += 1",
    ),
    part(
        "defaultdict of lists",
        setup="by_name = collections.defaultdict(list)",
        keeps="by_name",
        last='$by_name["loss"].append(loss.item()); $by_name[len($by_name["loss"])].append(out.detach())',
    ),
)
