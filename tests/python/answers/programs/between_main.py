"""Trains, and writes statistics of each step in Python in between."""

import torch


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = torch.nn.Sequential(
        torch.nn.Linear(256, 256), torch.nn.ReLU(), torch.nn.Linear(256, 10)
    )
    optimizer = torch.optim.Adam(model.parameters())
    data, target = torch.randn(128, 256), torch.randint(0, 10, (128,))
    history = []
    for _step in range(60):
        loss = torch.nn.functional.cross_entropy(model(data), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        values = []
        for parameter in model.parameters():
            for value in parameter.detach().flatten().tolist():  # cause
                values.append(abs(value))  # cause
        history.append(sorted(values)[len(values) // 2])  # cause
    print(history[-1])


if __name__ == "__main__":
    main()
