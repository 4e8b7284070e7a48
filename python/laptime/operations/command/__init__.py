"""The Python part of `laptime ops`: builds a model and hands its counts to the command.

The command runs `answer.main` and reads the answer, a line of JSON, from the standard output;
whatever the model's own code prints goes to the standard error. `factory`, `vision`, `pretrained`
and `exported` each find one kind of target.
"""
